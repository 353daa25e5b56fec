import { valuesTable } from '../kernel/combinations';
import { gpuKernel, tunable, type ValuesOf } from '../kernel/kernel';
import { DTYPES, type Dtype } from '../problem/dtype';
import {
  FRAGMENT_KERNEL,
  fragmentCandidates,
  fragmentConstraints,
  fragmentNeeds,
} from './08-subgroup-matrix';
import tiles from './15-subgroup-matrix-short.json';
import { emitFragmentKernel } from './fragment-emitter';
import { layoutWith, TILE_ORDER, TILE_SIZES, UNIT } from './fragment-layout';

const TUNABLES = [
  ...TILE_SIZES,
  tunable(
    'FRAGMENT',
    'N and K of one 8 × N × K matrix multiplication: 8 on Apple GPUs, 16 on Intel GPUs',
    [8, 16],
    8,
  ),
  tunable('SUBGROUP', 'Threads of a subgroup', [8, 16, 32], 32),
  ...TILE_ORDER,
] as const;

type Values = ValuesOf<typeof TUNABLES>;

const layoutOf = (values: Values, dtype: Dtype) =>
  layoutWith(values, { m: 8, n: values.FRAGMENT, k: values.FRAGMENT }, dtype);

/**
 * Four subgroups of 8 to 32 threads, within 16 KiB, since most such GPUs are small: each tile with each
 * fragment and the subgroups that are large enough for it.
 */
const TILES = valuesTable(tiles);

/** Rung 8 for devices whose matrix units multiply eight rows at a time. */
export const subgroupMatrixShort = gpuKernel<'matmul', typeof TUNABLES>({
  ...FRAGMENT_KERNEL,
  id: 'matmul/subgroup-matrix-short',
  rung: 15,
  changes: 'matmul/subgroup-matrix',
  idea: 'Fragments of eight rows, as the matrix units of Apple and Intel have them',
  tunables: TUNABLES,
  constraints: fragmentConstraints<Values>(
    UNIT,
    {
      reason: 'SUBGROUP must be at least FRAGMENT: each thread stores eight sums of a fragment',
      holds: ({ FRAGMENT, SUBGROUP }) => SUBGROUP >= FRAGMENT,
    },
    {
      reason: 'WM × WN must be at most 256 × SUBGROUP: more sums would not fit in registers',
      holds: ({ SUBGROUP, WM, WN }) => WM * WN <= 256 * SUBGROUP,
    },
  ),
  problemConstraints: [
    {
      reason:
        'WM × WN must be at most 128 × SUBGROUP with f32 sums, which take twice the registers',
      holds: ({ SUBGROUP, WM, WN }, { dtype }) =>
        DTYPES[dtype].sums === 'f16' || WM * WN <= 128 * SUBGROUP,
    },
  ],
  needs: (values, dtype) => fragmentNeeds(layoutOf(values, dtype)),
  wgsl: (values, dtype, { batched, epilogue }) =>
    emitFragmentKernel({ ...layoutOf(values, dtype), batched, epilogue }),
  candidates: (problem) => fragmentCandidates(TILES, problem),
});
