import { valuesTable } from '../combinations';
import { DTYPES, isByRows } from '../dtype';
import { gpuKernel, type Needs, type TunableValues } from '../kernel';
import type { Problem } from '../problem';
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

/** What a device must have to multiply fragments of this shape. */
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

/** What every kernel of this kind declares alike. */
export const FRAGMENT_KERNEL = {
  op: 'matmul',
  dtypes: ['f16', 'f16acc16', 'f16-nt', 'f16-q8', 'f16-q4'],
  constraints: [
    { reason: 'WM must divide BM', holds: ({ BM, WM }) => BM % WM === 0 },
    { reason: 'WN must divide BN', holds: ({ BN, WN }) => BN % WN === 0 },
    {
      reason: 'WM × WN must be at most 8192: more sums would not fit in registers',
      holds: ({ WM, WN }) => WM * WN <= 8192,
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
      reason: 'WM × WN must be at most 4096 with f32 sums, which take twice the registers',
      holds: ({ WM, WN }, { dtype }) => DTYPES[dtype].sums === 'f16' || WM * WN <= 4096,
    },
  ],
  entryPoint: (_values, problem) => fragmentEntryPoint(problem.shape),
  workgroups: (values, problem) => {
    const [x, y, z] = gridOverC(problem.shape, values.BM, values.BN);
    return [x, y, z * values.SPLIT];
  },
  ...SPLIT_PASSES,
} satisfies Partial<Parameters<typeof gpuKernel<'matmul', typeof TILE_TUNABLES>>[0]>;

const TILES = valuesTable(
  ['BM', 'BN', 'BK', 'WM', 'WN', 'UNROLL', 'LOADS', 'ORDER'],
  [
    [16, 64, 64, 16, 32, 1, 'ahead', 'rows-first'],
    [16, 128, 64, 16, 32, 1, 'ahead', 'rows-first'],
    [32, 64, 64, 32, 32, 1, 'ahead', 'rows-first'],
    [32, 128, 64, 32, 32, 1, 'ahead', 'rows-first'],
    [64, 64, 64, 32, 32, 1, 'ahead', 'rows-first'],
    [64, 128, 64, 32, 64, 1, 'ahead', 'rows-first'],
    [128, 64, 64, 64, 32, 1, 'ahead', 'rows-first'],
    [128, 128, 32, 64, 64, 1, 'ahead', 'rows-first'],
    [128, 128, 32, 64, 64, 2, 'ahead', 'rows-first'],
    [128, 128, 64, 64, 64, 1, 'ahead', 'rows-first'],
    [256, 128, 32, 128, 64, 1, 'staggered', 'rows-first'],
    [256, 256, 32, 128, 64, 2, 'staggered', 'bands'],
  ],
);

/**
 * What fragments try on a shape: a vector has too few rows or columns to fill one, and few rows times
 * weights by rows are bound by bytes.
 */
export const fragmentCandidates = (
  tiles: readonly TunableValues[],
  problem: Problem<'matmul'>,
): TunableValues[] =>
  Math.min(problem.shape.m, problem.shape.n) < (isByRows(problem.dtype) ? 6 : 2)
    ? []
    : splitTiles(tiles, problem);

export const subgroupMatrix = gpuKernel<'matmul', typeof FRAGMENT_TUNABLES>({
  ...FRAGMENT_KERNEL,
  id: 'matmul/subgroup-matrix',
  rung: 8,
  changes: null,
  idea: 'A subgroup multiplies 16-wide matrices in one instruction (tensor cores)',
  tunables: FRAGMENT_TUNABLES,
  needs: (values, dtype) => fragmentNeeds(fragmentLayout(values, dtype)),
  wgsl: (values, dtype, { batched, epilogue }) =>
    emitFragmentKernel({ ...fragmentLayout(values, dtype), batched, epilogue }),
  batches: true,
  candidates: (problem) => fragmentCandidates(TILES, problem),
});
