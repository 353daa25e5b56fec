import { valuesTable } from '../kernel/combinations';
import {
  type Constraint,
  gpuKernel,
  type Needs,
  type TunableValues,
  type ValuesOf,
} from '../kernel/kernel';
import { DTYPES, isByRows } from '../problem/dtype';
import type { Problem } from '../problem/problem';
import tables from './08-subgroup-matrix.json';
import { splitTiles } from './candidates';
import { emitFragmentKernel } from './fragment-emitter';
import {
  FRAGMENT_TUNABLES,
  type FragmentLayout,
  fragmentBytes,
  fragmentEntryPoint,
  fragmentLayout,
  fragmentThreads,
  subgroupOf,
  type TILE_TUNABLES,
} from './fragment-layout';
import { gridOverC } from './grid';
import { SPLIT_PASSES } from './tile-memory';

/** The requirements of multiplying fragments of this shape. */
export function fragmentNeeds(layout: FragmentLayout): Needs {
  const { m, n, k } = layout.fragment;
  return {
    workgroupSize: [fragmentThreads(layout), 1, 1],
    workgroupBytes: fragmentBytes(layout),
    features: [
      'subgroups',
      'chromium-experimental-subgroup-matrix',
      `subgroup-matrix-${layout.sums}-f16-${m}x${n}x${k}`,
    ],
    subgroupSize: subgroupOf(layout),
  };
}

type TileConstraint = Constraint<ValuesOf<typeof TILE_TUNABLES> & { readonly SUBGROUP?: number }>;

const DIVIDED: readonly TileConstraint[] = [
  { reason: 'WM must divide BM', holds: ({ BM, WM }) => BM % WM === 0 },
  { reason: 'WN must divide BN', holds: ({ BN, WN }) => BN % WN === 0 },
];

const STAGED: TileConstraint = {
  reason:
    'BM × BK and BN × BK must be multiples of 8 × threads: each thread stages 16 bytes at a time',
  holds: (values) =>
    [values.BM, values.BN].every(
      (side) => (side * values.BK) % (8 * fragmentThreads(values)) === 0,
    ),
};

/** The constraints of tiles of fragments, with those on registers in their place. */
export const fragmentConstraints = <Values extends ValuesOf<typeof TILE_TUNABLES>>(
  ...ofRegisters: readonly Constraint<Values>[]
): readonly Constraint<Values>[] => [...DIVIDED, ...ofRegisters, STAGED];

/** The declarations that kernels of this kind share. */
export const FRAGMENT_KERNEL = {
  op: 'matmul',
  dtypes: ['f16', 'f16acc16', 'f16-nt', 'f16-q8', 'f16-q4'],
  entryPoint: (_values, problem) => fragmentEntryPoint(problem.shape),
  workgroups: (values, { shape }) => gridOverC(shape, values.BM, values.BN, values),
  ...SPLIT_PASSES,
} satisfies Partial<Parameters<typeof gpuKernel<'matmul', typeof TILE_TUNABLES>>[0]>;

const TILES = valuesTable(tables.tiles);

/**
 * The candidates of fragments on a shape: a vector has too few rows or columns to fill one, and few rows
 * times weights by rows are bound by bytes.
 */
export const fragmentCandidates = (
  tiles: readonly TunableValues[],
  problem: Problem<'matmul'>,
): TunableValues[] =>
  Math.min(problem.shape.m, problem.shape.n) < (isByRows(problem.dtype) ? 6 : 2)
    ? []
    : splitTiles(tiles, problem);

/**
 * For a small C: with few workgroups on a processor nothing else hides how long a tile is on its way,
 * and small tiles leave registers for several.
 */
const PREFETCHED_TILES = valuesTable(tables.prefetched);

export const subgroupMatrix = gpuKernel<'matmul', typeof FRAGMENT_TUNABLES>({
  ...FRAGMENT_KERNEL,
  id: 'matmul/subgroup-matrix',
  rung: 8,
  changes: null,
  idea: 'A subgroup multiplies 16-wide matrices in one instruction (tensor cores)',
  tunables: FRAGMENT_TUNABLES,
  constraints: [
    ...fragmentConstraints({
      reason: 'WM × WN must be at most 8192: more sums would not fit in registers',
      holds: ({ WM, WN }) => WM * WN <= 8192,
    }),
    {
      reason:
        'PREFETCH × (BM + BN) × BK must be at most 256 × threads: more would not fit in registers',
      holds: ({ PREFETCH, BM, BN, BK, WM, WN }) =>
        PREFETCH === 'off' || PREFETCH * (BM + BN) * BK <= 256 * 32 * (BM / WM) * (BN / WN),
    },
  ],
  problemConstraints: [
    {
      reason: 'WM × WN must be at most 4096 with f32 sums, which take twice the registers',
      holds: ({ WM, WN }, { dtype }) => DTYPES[dtype].sums === 'f16' || WM * WN <= 4096,
    },
  ],
  needs: (values, dtype) => fragmentNeeds(fragmentLayout(values, dtype)),
  wgsl: (values, dtype, { batched, epilogue }) =>
    emitFragmentKernel({ ...fragmentLayout(values, dtype), batched, epilogue }),
  batches: true,
  candidates: (problem) => fragmentCandidates([...TILES, ...PREFETCHED_TILES], problem),
});
