import type { MatmulShape, TunableValue } from '@tilemark/kernels';
import type { SweepCase } from '../plan/spec';
import { caseOf, edge, type Suite, square, sweepOf } from './suite';

/** The four ways to store the tiles of A and B: RR, RC, CR, and CC. */
const LAYOUTS = { A_LAYOUT: ['row', 'col'], B_LAYOUT: ['row', 'col'] };

/**
 * Basic, RR, RC, CR, and CC at some block sizes. With x along rows, tiles stored by row
 * suffer the bank conflicts that the published report is about.
 */
const fiveKernels = (blocks: TunableValue[], shapes: MatmulShape[]): SweepCase[] => [
  caseOf('matmul/naive', { BLOCK: blocks, MAPPING: ['row-x'] }, shapes),
  caseOf('matmul/tiled', { TILE: blocks, ...LAYOUTS, MAPPING: ['row-x'] }, shapes),
];

export const layouts: Suite<'n'> = {
  id: 'layouts',
  version: 1,
  title: 'Shared-memory layouts',
  about: 'Naive vs. a 16 × 16 tile with A and B stored by row or by column (RR, RC, CR, CC)',
  params: [edge(8192)],
  standing: { gpu: { n: 2048 }, software: { n: 128 } },
  spec: ({ n }) => sweepOf(fiveKernels([16], [square(n)])),
};

export const blockSize: Suite<'n'> = {
  id: 'block-size',
  version: 1,
  title: 'Block size',
  about: 'Naive vs. tiled in the four layouts, with blocks of 4, 8, 16, and 32 threads per side',
  params: [edge(8192)],
  standing: { gpu: { n: 2048 } },
  spec: ({ n }) => sweepOf(fiveKernels([4, 8, 16, 32], [square(n)])),
};

/** The report's end product: CC, with one comparison fewer in its bounds check. */
const FINAL = {
  TILE: [16],
  A_LAYOUT: ['col'],
  B_LAYOUT: ['col'],
  MAPPING: ['row-x'],
  BOUNDS: ['or'],
};

export const hostVsDevice: Suite<'n'> = {
  id: 'host-vs-device',
  version: 2,
  title: 'Host vs. device',
  about: 'How far ahead of the host each rung of the lab gets, with transfer times',
  params: [{ ...edge(2048), max: 8192 }],
  standing: { gpu: { n: 1024 }, cpu: { n: 512 } },
  spec: ({ n }) =>
    sweepOf([
      caseOf('matmul/cpu-naive', {}, [square(n)]),
      caseOf('matmul/cpu-parallel', {}, [square(n)]),
      ...fiveKernels([16], [square(n)]),
      caseOf('matmul/tiled', FINAL, [square(n)]),
    ]),
};

/** The kernel that the report's micro-optimisations start from: CC at 16 x 16. */
const BASE = { TILE: [16], A_LAYOUT: ['col'], B_LAYOUT: ['col'], MAPPING: ['row-x'] };

/** Asked one at a time, not as a product of all values; the first value of each is the base. */
const QUESTIONS: readonly Readonly<Record<string, TunableValue[]>>[] = [
  { SIZING: ['const', 'override'] },
  { INDEXING: ['recomputed', 'hoisted'] },
  { BOUNDS: ['and-not', 'or', 'none'] },
  { MULADD: ['mul-add', 'fma'] },
  { UNROLL: [1, 2, 3, 4, 8, 'full'] },
];

export const microOptimisations: Suite<'n'> = {
  id: 'micro-optimisations',
  version: 1,
  title: 'Micro-optimisations',
  about: 'Memory sizing, index arithmetic, bounds, fma, and unrolling, each against the same base',
  params: [edge(8192)],
  standing: { gpu: { n: 2048 } },
  spec: ({ n }) =>
    sweepOf(
      QUESTIONS.map((question) => caseOf('matmul/tiled', { ...BASE, ...question }, [square(n)])),
    ),
};
