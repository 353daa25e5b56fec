import { DTYPES } from '../dtype';
import { gpuKernel, tunable } from '../kernel';
import wgsl from './03-tiled-wpt.wgsl?raw';
import { batched, gridOverC } from './grid';

export const tiledWpt = gpuKernel({
  id: 'matmul/tiled-wpt',
  op: 'matmul',
  rung: 3,
  idea: 'Square tiles, several elements of a column per thread',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    tunable('TILE', 'Side of a tile, and threads across a workgroup', [16, 32], 32),
    tunable('WPT', 'Work per thread: elements of a column of C', [2, 4, 8], 8),
  ],
  wgsl,
  batches: batched,
  needs: (values, dtype) => {
    const tile = values.TILE;
    return {
      workgroupSize: [tile, tile / values.WPT, 1],
      workgroupBytes: 2 * tile * tile * DTYPES[dtype].bytes,
    };
  },
  workgroups: (values, problem) => {
    const tile = values.TILE;
    return gridOverC(problem.shape, tile, tile);
  },
});
