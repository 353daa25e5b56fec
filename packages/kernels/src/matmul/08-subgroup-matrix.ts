import { valuesTable } from '../kernel/combinations';
import { type Constraint, gpuKernel, type Needs, type TunableValues } from '../kernel/kernel';
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
  operandOf,
  subgroupOf,
  type TileSizes,
  UNIT,
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
      `subgroup-matrix-${layout.sums}-${operandOf(layout)}-${m}x${n}x${k}`,
    ],
    subgroupSize: subgroupOf(layout),
  };
}

const DIVIDED: readonly Constraint<TileSizes>[] = [
  { reason: 'WM must divide BM', holds: ({ BM, WM }) => BM % WM === 0 },
  { reason: 'WN must divide BN', holds: ({ BN, WN }) => BN % WN === 0 },
];

/** The constraints of tiles of fragments, with those on registers in their place; 16 bytes are a `unit`. */
export const fragmentConstraints = <Values extends TileSizes>(
  unit: number,
  ...ofRegisters: readonly Constraint<Values>[]
): readonly Constraint<Values>[] => [
  ...DIVIDED,
  ...ofRegisters,
  {
    reason: `BM × BK and BN × BK must be multiples of ${unit} × threads: each thread stages 16 bytes at a time`,
    holds: (values) =>
      [values.BM, values.BN].every(
        (side) => (side * values.BK) % (unit * fragmentThreads(values)) === 0,
      ),
  },
];

/** What limits tiles on their way. */
export const prefetchConstraint = (
  unit: number,
): Constraint<TileSizes & { readonly PREFETCH: number | 'off' }> => ({
  reason: `PREFETCH × (BM + BN) × BK must be at most ${32 * unit} × threads: more would not fit in registers`,
  holds: ({ PREFETCH, BM, BN, BK, WM, WN }) =>
    PREFETCH === 'off' || PREFETCH * (BM + BN) * BK <= 32 * unit * 32 * (BM / WM) * (BN / WN),
});

/** The declarations that kernels of this kind share. */
export const FRAGMENT_KERNEL = {
  op: 'matmul',
  dtypes: ['f16', 'f16acc16', 'f16-nt', 'f16-q8', 'f16-q4'],
  entryPoint: (_values: TileSizes, problem: Problem<'matmul'>) => fragmentEntryPoint(problem),
  workgroups: (
    { BM, BN, SPLIT }: TileSizes & { readonly SPLIT: number },
    { shape }: Problem<'matmul'>,
  ) => gridOverC(shape, BM, BN, { SPLIT }),
  batches: true,
  ...SPLIT_PASSES,
} as const;

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
    ...fragmentConstraints(UNIT, {
      reason: 'WM × WN must be at most 8192: more sums would not fit in registers',
      holds: ({ WM, WN }) => WM * WN <= 8192,
    }),
    prefetchConstraint(UNIT),
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
  candidates: (problem) => fragmentCandidates([...TILES, ...PREFETCHED_TILES], problem),
});
