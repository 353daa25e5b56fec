import { gpuKernel } from '../kernel';
import { splitTiles } from './candidates';
import { gridOverC } from './grid';
import { emitTileKernel, tileEntryPoint } from './tile-emitter';
import type { TileLayout } from './tile-layout';
import { SPLIT_PASSES, splitTunable, tileNeeds } from './tile-memory';
import {
  isForTiles,
  MULADD,
  STAGING_TUNABLES,
  WARP_CONSTRAINTS,
  WARP_PROBLEM_CONSTRAINTS,
  WARP_TILES,
  WARP_TUNABLES,
  type WarpValues,
  warpLayout,
} from './warp-layout';

const layoutOf = (values: WarpValues & { readonly SPLIT: number }): TileLayout => ({
  ...warpLayout(values),
  split: values.SPLIT,
});

export const warpTile = gpuKernel({
  id: 'matmul/warp-tile',
  op: 'matmul',
  rung: 6,
  idea: 'Register tiles arranged so that a warp reads few distinct words of workgroup memory',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    ...WARP_TUNABLES,
    splitTunable([1, 2, 4, 8, 16, 32, 64, 128, 256]),
    MULADD,
    ...STAGING_TUNABLES,
  ],
  constraints: WARP_CONSTRAINTS,
  problemConstraints: WARP_PROBLEM_CONSTRAINTS,
  wgsl: (values, _dtype, batched) => emitTileKernel({ ...layoutOf(values), batched }),
  batches: true,
  entryPoint: (_values, problem) => tileEntryPoint(problem.shape),
  needs: (values) => tileNeeds(layoutOf(values)),
  workgroups: (values, problem) => {
    const { bm, bn } = layoutOf(values);
    const [x, y, z] = gridOverC(problem.shape, bm, bn);
    return [x, y, z * values.SPLIT];
  },
  ...SPLIT_PASSES,
  candidates: (problem) => (isForTiles(problem) ? splitTiles(WARP_TILES, problem) : []),
});
