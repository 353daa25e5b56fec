import type { TunableValue } from '@tilemark/kernels';
import { caseOf, edge, type Suite, square, sweepOf } from './suite';

/** The kernel the published report starts from: CC at 16 x 16. */
const BASE = { TILE: [16], A_LAYOUT: ['col'], B_LAYOUT: ['col'], MAPPING: ['row-x'] };

/** One at a time: they are questions, not a product of answers. The base is the first of each. */
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
  about: 'Memory sizing, index arithmetic, bounds, fma and unrolling, each against the same base',
  params: [edge(8192)],
  standing: { gpu: { n: 2048 } },
  spec: ({ n }) =>
    sweepOf(
      QUESTIONS.map((question) => caseOf('matmul/tiled', { ...BASE, ...question }, [square(n)])),
    ),
};
