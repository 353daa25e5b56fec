/** The suites that show a device at once what Tilemark measures. */
import type { Shape } from '@tilemark/kernels';
import type { SweepCase } from '../plan/spec';
import { caseOf, type Suite, square, sweepOf } from './suite';

/** Kernels of both ladders with their defaults, by the names of their rungs. */
const rungs = (op: string, names: readonly string[], shapes: Shape[]): SweepCase[] =>
  names.map((name) => caseOf(`${op}/${name}`, {}, shapes));

/** Small enough that a software GPU on two idle cores takes seconds per run. */
const SMALL = { product: [square(128)], matrix: [{ rows: 384, cols: 512 }] };

export const starter: Suite<never> = {
  id: 'starter',
  version: 1,
  title: 'Starter',
  about:
    'The rungs of both ladders at small shapes, on the GPU and on the host: a minute on most GPUs, several on a software device',
  params: [],
  standing: { gpu: {}, software: {}, cpu: {} },
  spec: () =>
    sweepOf([
      ...rungs('matmul', ['naive', 'tiled', 'tiled-wpt', 'register-tile'], SMALL.product),
      ...rungs('transpose', ['copy', 'naive', 'tiled', 'padded', 'vec4'], SMALL.matrix),
      ...rungs('matmul', ['cpu-naive', 'cpu-parallel'], SMALL.product),
      ...rungs('transpose', ['cpu-naive', 'cpu-parallel'], SMALL.matrix),
    ]),
};

/** Long enough for a GPU to show what it can, short enough for a browser's limit on one dispatch. */
const MIDDLING = { product: [square(512)], matrix: [{ rows: 1024, cols: 1024 }] };

export const quick: Suite<never> = {
  id: 'quick',
  version: 1,
  title: 'Quick',
  about:
    'A few rungs of both ladders at middling shapes: a minute on most GPUs, in a browser tab too',
  params: [],
  standing: { browser: {} },
  spec: () =>
    sweepOf([
      ...rungs('matmul', ['naive', 'tiled', 'register-tile'], MIDDLING.product),
      ...rungs('transpose', ['naive', 'tiled'], MIDDLING.matrix),
    ]),
};
