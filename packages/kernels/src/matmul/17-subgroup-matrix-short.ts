import { valuesTable } from '../combinations';
import { DTYPES, type Dtype } from '../dtype';
import { gpuKernel, tunable, type ValuesOf } from '../kernel';
import { FRAGMENT_KERNEL, fragmentCandidates, fragmentNeeds } from './08-subgroup-matrix';
import { emitFragmentKernel } from './fragment-emitter';
import { fragmentThreads, layoutWith, TILE_ORDER, TILE_SIZES } from './fragment-layout';

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

/** Each shape with the subgroups that are large enough. */
const FRAGMENTS = valuesTable(
  ['FRAGMENT', 'SUBGROUP'],
  [
    [8, 8],
    [8, 16],
    [8, 32],
    [16, 16],
    [16, 32],
  ],
);

type Values = ValuesOf<typeof TUNABLES>;

const layoutOf = (values: Values, dtype: Dtype) =>
  layoutWith(values, { m: 8, n: values.FRAGMENT, k: values.FRAGMENT }, dtype);

/** Four subgroups of 8 to 32 threads, within 16 KiB: most such GPUs are small. */
const TILES = valuesTable(
  ['BM', 'BN', 'BK', 'WM', 'WN'],
  [
    [32, 32, 32, 16, 16],
    [32, 64, 32, 16, 32],
    [64, 64, 32, 32, 32],
  ],
).flatMap((tile) => FRAGMENTS.map((fragment) => ({ ...tile, ...fragment })));

/** Rung 8 for devices whose matrix units multiply eight rows at a time. */
export const subgroupMatrixShort = gpuKernel<'matmul', typeof TUNABLES>({
  ...FRAGMENT_KERNEL,
  id: 'matmul/subgroup-matrix-short',
  rung: 17,
  changes: 'matmul/subgroup-matrix',
  idea: 'Fragments of eight rows, as the matrix units of Apple and Intel have them',
  tunables: TUNABLES,
  constraints: [
    { reason: 'WM must divide BM', holds: ({ BM, WM }) => BM % WM === 0 },
    { reason: 'WN must divide BN', holds: ({ BN, WN }) => BN % WN === 0 },
    {
      reason: 'SUBGROUP must be at least FRAGMENT: each thread stores eight sums of a fragment',
      holds: ({ FRAGMENT, SUBGROUP }) => SUBGROUP >= FRAGMENT,
    },
    {
      reason: 'WM × WN must be at most 256 × SUBGROUP: more sums would not fit in registers',
      holds: ({ SUBGROUP, WM, WN }) => WM * WN <= 256 * SUBGROUP,
    },
    {
      reason:
        'BM × BK and BN × BK must be multiples of 8 × threads: each thread stages 16 bytes at a time',
      holds: (values) =>
        [values.BM, values.BN].every(
          (length) => (length * values.BK) % (8 * fragmentThreads(values)) === 0,
        ),
    },
  ],
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
  batches: true,
  candidates: (problem) => fragmentCandidates(TILES, problem),
});
