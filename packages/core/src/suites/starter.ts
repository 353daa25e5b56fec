import { caseOf, type Suite, square, sweepOf } from './suite';

/** Small enough that a software GPU on two idle cores takes seconds per run. */
const MATMUL = [square(128)];
const TRANSPOSE = [{ rows: 384, cols: 512 }];

export const starter: Suite<never> = {
  id: 'starter',
  version: 1,
  title: 'Starter',
  about:
    'The rungs of both ladders at small shapes, on the GPU and on the host: about a minute per device',
  params: [],
  standing: { gpu: {}, software: {}, cpu: {} },
  spec: () =>
    sweepOf([
      caseOf('matmul/naive', {}, MATMUL),
      caseOf('matmul/tiled', {}, MATMUL),
      caseOf('matmul/tiled-wpt', {}, MATMUL),
      caseOf('matmul/register-tile', {}, MATMUL),
      caseOf('transpose/copy', {}, TRANSPOSE),
      caseOf('transpose/naive', {}, TRANSPOSE),
      caseOf('transpose/tiled', {}, TRANSPOSE),
      caseOf('transpose/padded', {}, TRANSPOSE),
      caseOf('transpose/vec4', {}, TRANSPOSE),
      caseOf('matmul/cpu-naive', {}, MATMUL),
      caseOf('matmul/cpu-parallel', {}, MATMUL),
      caseOf('transpose/cpu-naive', {}, TRANSPOSE),
      caseOf('transpose/cpu-parallel', {}, TRANSPOSE),
    ]),
};
