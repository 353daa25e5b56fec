import type { GpuKernel, TunableValues } from '../kernel';
import { ceilDiv, numberOf } from '../values';
import { gridOverC } from './grid';
import { matmulShape } from './op';
import { emitTileKernel, tileEntryPoint } from './tile-emitter';
import type { TileLayout } from './tile-layout';
import { ADD_THREADS, MAX_ADD_GROUPS, partBytes, tileNeeds } from './tile-memory';
import {
  MULADD,
  STAGING_TUNABLES,
  size,
  WARP_CONSTRAINTS,
  WARP_PROBLEM_CONSTRAINTS,
  WARP_TUNABLES,
  warpLayout,
} from './warp-layout';

const layoutOf = (values: TunableValues): TileLayout => ({
  ...warpLayout(values),
  split: numberOf(values, 'SPLIT'),
});

export const warpTile: GpuKernel = {
  id: 'matmul/warp-tile',
  op: 'matmul',
  runsOn: 'gpu',
  rung: 6,
  idea: 'Register tiles arranged so that a warp reads few different words of workgroup memory',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    ...WARP_TUNABLES,
    size(
      'SPLIT',
      'Parts of K, each summed by its own workgroups and added up by a second pass; 1: none',
      [1, 2, 4, 8, 16, 32],
      1,
    ),
    MULADD,
    ...STAGING_TUNABLES,
  ],
  constraints: WARP_CONSTRAINTS,
  problemConstraints: WARP_PROBLEM_CONSTRAINTS,
  wgsl: (values) => emitTileKernel(layoutOf(values)),
  entryPoint: (_values, problem) => tileEntryPoint(matmulShape(problem)),
  needs: (values) => tileNeeds(layoutOf(values)),
  workgroups: (values, problem) => {
    const { bm, bn } = layoutOf(values);
    const [x, y] = gridOverC(values, problem, bm, bn);
    return [x, y, numberOf(values, 'SPLIT')];
  },
  followUps: (values, problem) => {
    const { m, n } = matmulShape(problem);
    const groups = Math.min(ceilDiv(m * n, ADD_THREADS), MAX_ADD_GROUPS);
    return numberOf(values, 'SPLIT') > 1
      ? [{ entryPoint: 'add_parts', workgroups: [groups, 1, 1] }]
      : [];
  },
  scratchBytes: (values, problem) => partBytes(numberOf(values, 'SPLIT'), matmulShape(problem)),
};
