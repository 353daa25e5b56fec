import { valuesTable } from '../combinations';
import { gpuKernel, tunable } from '../kernel';
import { FRAGMENT_KERNEL, fragmentCandidates, fragmentNeeds } from './08-subgroup-matrix';
import { emitFragmentKernel } from './fragment-emitter';
import { FRAGMENT_TUNABLES, fragmentLayout } from './fragment-layout';

const TUNABLES = [
  ...FRAGMENT_TUNABLES,
  tunable('PREFETCH', 'Tiles of K on their way while one is multiplied', [2, 3, 4], 2),
] as const;

const TILES = valuesTable(
  ['BM', 'BN', 'BK', 'WM', 'WN', 'PREFETCH'],
  [
    [16, 64, 64, 16, 32, 2],
    [32, 64, 64, 32, 32, 2],
    [32, 128, 64, 32, 32, 2],
    [64, 64, 32, 32, 32, 2],
    [64, 64, 32, 32, 32, 4],
    [64, 64, 64, 32, 32, 2],
    [64, 128, 32, 32, 64, 2],
    [64, 128, 64, 32, 64, 2],
    [128, 64, 64, 64, 32, 2],
    [128, 128, 32, 64, 64, 2],
    [128, 128, 32, 64, 32, 2],
    [128, 128, 64, 64, 32, 2],
  ],
);

/**
 * Rung 8 for a small C: with few workgroups on a processor nothing else hides how long a tile is on
 * its way, and small tiles leave registers for several.
 */
export const subgroupMatrixPrefetch = gpuKernel<'matmul', typeof TUNABLES>({
  ...FRAGMENT_KERNEL,
  id: 'matmul/subgroup-matrix-prefetch',
  rung: 15,
  changes: 'matmul/subgroup-matrix',
  idea: 'Fragments of small tiles, two or more of which are on their way in registers',
  tunables: TUNABLES,
  constraints: [
    ...FRAGMENT_KERNEL.constraints,
    {
      reason:
        'PREFETCH × (BM + BN) × BK must be at most 256 × threads: more would not fit in registers',
      holds: ({ PREFETCH, BM, BN, BK, WM, WN }) =>
        PREFETCH * (BM + BN) * BK <= 256 * 32 * (BM / WM) * (BN / WN),
    },
  ],
  needs: (values, dtype) => fragmentNeeds(fragmentLayout(values, dtype)),
  wgsl: (values, dtype, { batched, epilogue }) =>
    emitFragmentKernel({ ...fragmentLayout(values, dtype), batched, epilogue }),
  batches: true,
  candidates: (problem) => fragmentCandidates(TILES, problem),
});
