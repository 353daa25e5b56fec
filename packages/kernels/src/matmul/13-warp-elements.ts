import { gpuKernel, type ValuesOf } from '../kernel/kernel';
import { splitTiles } from './candidates';
import { gridOverC } from './grid';
import { emitTileKernel } from './tile-emitter';
import type { TileLayout } from './tile-layout';
import { SPLIT_PASSES, splitTunable, tileNeeds } from './tile-memory';
import {
  isForTiles,
  WARP_CONSTRAINTS,
  WARP_TILES,
  WARP_TUNABLES,
  type WarpValues,
  warpLayout,
} from './warp-layout';

const TUNABLES = [...WARP_TUNABLES, splitTunable([1, 2, 4, 8, 16, 32, 64, 128, 256])] as const;

type Values = ValuesOf<typeof TUNABLES>;

const TILES = WARP_TILES.map(({ A_TILE: _, ...tile }) => tile);

/** The values of rung 6, with the tunables that made little difference there fixed. */
const asWarps = (values: Values): WarpValues => ({
  ...values,
  MULADD: 'mul-add',
  A_TILE: 'padded',
  LOADS: 'ahead',
  TILE_LOOP: 'to-k',
});

const layoutOf = (values: Values): TileLayout => ({
  ...warpLayout(asWarps(values)),
  split: values.SPLIT,
  elements: true,
});

/**
 * Rung 6 for rows that begin anywhere. A vec4 across two aligned ones has to be put together, which
 * waits for the loads that rung 6 means to hide; single elements can be stored as they arrive.
 */
export const warpElements = gpuKernel<'matmul', typeof TUNABLES>({
  id: 'matmul/warp-elements',
  op: 'matmul',
  rung: 13,
  changes: 'matmul/warp-tile',
  idea: 'Warp tiles staged element by element, neighbours by neighbours, wherever rows begin',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: TUNABLES,
  constraints: WARP_CONSTRAINTS.map(({ reason, holds }) => ({
    reason,
    holds: (values) => holds(asWarps(values)),
  })),
  wgsl: (values, _dtype, { batched, epilogue }) =>
    emitTileKernel({ ...layoutOf(values), batched, epilogue }),
  batches: true,
  needs: (values) => tileNeeds(layoutOf(values)),
  workgroups: (values, { shape }) => gridOverC(shape, values.BM, values.BN, values),
  ...SPLIT_PASSES,
  candidates: (problem) => {
    const { n, k } = problem.shape;
    const isAligned = n % 4 === 0 && k % 4 === 0;
    return isForTiles(problem) && !isAligned ? splitTiles(TILES, problem) : [];
  },
});
