import { valuesTable } from '../kernel/combinations';
import { gpuKernel, type ValuesOf } from '../kernel/kernel';
import type { Dtype } from '../problem/dtype';
import {
  FRAGMENT_KERNEL,
  fragmentCandidates,
  fragmentConstraints,
  fragmentNeeds,
  prefetchConstraint,
} from './08-subgroup-matrix';
import tiles from './16-subgroup-matrix-bytes.json';
import { emitFragmentKernel } from './fragment-emitter';
import { FRAGMENT_TUNABLES, layoutWith, UNIT } from './fragment-layout';

const [BM, BN, BK, WM, WN, FRAGMENT_N, LOADS, ...ORDER] = FRAGMENT_TUNABLES;

const TUNABLES = [
  ...[BM, BN],
  { ...BK, values: [32, 64, 128], default: 128 },
  ...[WM, { ...WN, default: 32 }],
  { ...FRAGMENT_N, about: 'N of one 16 × N × 32 matrix multiplication' },
  { ...LOADS, default: 'staggered' },
  ...ORDER,
] as const;

const layoutOf = (values: ValuesOf<typeof TUNABLES>, dtype: Dtype) =>
  layoutWith(values, { m: 16, n: values.FRAGMENT_N, k: 32 }, dtype);

const TILES = valuesTable(tiles);

/** Rung 8 for signed bytes: 16 in 16 bytes, and sums that are exact. */
export const subgroupMatrixBytes = gpuKernel<'matmul', typeof TUNABLES>({
  ...FRAGMENT_KERNEL,
  id: 'matmul/subgroup-matrix-bytes',
  rung: 16,
  changes: 'matmul/subgroup-matrix',
  idea: 'Fragments of signed bytes, with sums in i32',
  dtypes: ['i8-nt'],
  tunables: TUNABLES,
  constraints: [
    ...fragmentConstraints(2 * UNIT, {
      reason: 'WM × WN must be at most 4096: more sums would not fit in registers',
      holds: ({ WM, WN }) => WM * WN <= 4096,
    }),
    prefetchConstraint(2 * UNIT),
  ],
  needs: (values, dtype) => fragmentNeeds(layoutOf(values, dtype)),
  wgsl: (values, dtype, { batched, epilogue }) =>
    emitFragmentKernel({ ...layoutOf(values, dtype), batched, epilogue }),
  candidates: (problem) => fragmentCandidates(TILES, problem),
});
