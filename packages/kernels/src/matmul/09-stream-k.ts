import { combinations } from '../kernel/combinations';
import { gpuKernel, tunable } from '../kernel/kernel';
import { ceilDiv } from '../numbers';
import type { Problem } from '../problem/problem';
import { emitTileKernel, MAX_K, tileEntryPoint } from './tile-emitter';
import type { TileLayout } from './tile-layout';
import { ADD_THREADS, MAX_ADD_GROUPS, tileNeeds } from './tile-memory';
import {
  MULADD,
  STAGING_TUNABLES,
  WARP_CONSTRAINTS,
  WARP_PROBLEM_CONSTRAINTS,
  WARP_TILES,
  WARP_TUNABLES,
  type WarpValues,
  warpLayout,
} from './warp-layout';

const layoutOf = (
  values: WarpValues & { readonly WAVE: number },
): TileLayout & { readonly wave: number } => ({
  ...warpLayout(values),
  wave: values.WAVE,
});

/** How many tiles have their own workgroup, and how many at the end are shared by all. */
function tilesOf(
  { bm, bn, wave }: ReturnType<typeof layoutOf>,
  { shape: { m, n } }: Problem<'matmul'>,
) {
  const tiles = ceilDiv(m, bm) * ceilDiv(n, bn);
  return { wave, whole: tiles - (tiles % wave), shared: tiles % wave };
}

/**
 * Tiles in full waves are computed as in warp-tile. The remaining tiles would leave part of the
 * device idle, so they are cut into equal shares along K, one per workgroup that the device runs
 * at once (M. Osama et al., Stream-K: Work-centric parallel decomposition for dense matrix-matrix
 * multiplication on the GPU, 2023).
 */
export const streamK = gpuKernel({
  id: 'matmul/stream-k',
  op: 'matmul',
  rung: 9,
  changes: 'matmul/warp-tile',
  idea: 'Warp tiles whose last wave is shared evenly among all multiprocessors',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    ...WARP_TUNABLES,
    tunable(
      'WAVE',
      'Workgroups that the device runs at once and that share the last tiles; 264 is two per multiprocessor of an NVIDIA H100 or H200',
      [16, 32, 64, 108, 128, 132, 216, 256, 264],
      264,
    ),
    MULADD,
    ...STAGING_TUNABLES,
  ],
  constraints: WARP_CONSTRAINTS,
  problemConstraints: [
    ...WARP_PROBLEM_CONSTRAINTS,
    {
      reason: `takes K up to ${MAX_K}: the steps of all shares are counted in 32 bits`,
      holds: (_values, { shape }) => shape.k <= MAX_K,
    },
  ],
  wgsl: (values, _dtype, { epilogue }) => emitTileKernel({ ...layoutOf(values), epilogue }),
  entryPoint: (_values, problem) => tileEntryPoint(problem.shape),
  needs: (values) => tileNeeds(layoutOf(values)),
  workgroups: (values, problem) => {
    const { whole, shared, wave } = tilesOf(layoutOf(values), problem);
    return [whole + (shared > 0 ? wave : 0), 1, 1];
  },
  followUps: (values, problem) => {
    const { bm, bn } = layoutOf(values);
    const { shared } = tilesOf(layoutOf(values), problem);
    const groups = Math.min(ceilDiv((shared * bm * bn) / 4, ADD_THREADS), MAX_ADD_GROUPS);
    return shared > 0 ? [{ entryPoint: 'add_parts', workgroups: [groups, 1, 1] }] : [];
  },
  // Two slots per workgroup: its share may end one tile and begin the next.
  scratchBytes: (values) => {
    const { bm, bn, wave } = layoutOf(values);
    return 2 * wave * bm * bn * 4;
  },
  splitBy: ['WAVE'],
  // Its workgroups share what is left of the tiles, so no wave is the last.
  work: ({ BM, BN, WAVE }, { shape: { m, n } }) => {
    const groups = ceilDiv(m, BM) * ceilDiv(n, BN);
    return { groups, waves: groups / WAVE };
  },
  candidates: ({ dtype, shape: { m, n } }) =>
    dtype === 'f16' || ceilDiv(m, 64) * ceilDiv(n, 64) < 64
      ? []
      : TILES.flatMap((tile) =>
          combinations({ WAVE: [132, 264] }).map((wave) => ({ ...tile, ...wave })),
        ),
});

const TILES = WARP_TILES.filter(
  ({ BM, BN, LANES_DOWN }) => BM === BN && LANES_DOWN !== (BM === 128 ? 4 : 8),
);
