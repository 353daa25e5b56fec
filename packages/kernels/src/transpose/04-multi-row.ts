import { DTYPES } from '../dtype';
import { gpuKernel } from '../kernel';
import wgsl from './04-multi-row.wgsl';
import { gridOverA } from './tile';

export const multiRow = gpuKernel({
  id: 'transpose/multi-row',
  op: 'transpose',
  rung: 4,
  idea: 'The padded tile, moved by fewer threads, several rows each',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    {
      name: 'TILE',
      about: 'Side of the tile, and threads across a workgroup',
      values: [8, 16, 32, 64],
      default: 32,
    },
    {
      name: 'ROWS',
      about: 'Threads down a workgroup; each moves TILE / ROWS rows',
      values: [1, 2, 4, 8, 16, 32],
      default: 8,
    },
  ],
  constraints: [
    {
      reason: 'ROWS must be at most TILE; further threads would have no row to move',
      holds: (values) => values.ROWS <= values.TILE,
    },
  ],
  wgsl,
  needs: (values, dtype) => {
    const tile = values.TILE;
    return {
      workgroupSize: [tile, values.ROWS, 1],
      workgroupBytes: tile * (tile + 1) * DTYPES[dtype].bytes,
      features: [],
    };
  },
  workgroups: (values, problem) => {
    const tile = values.TILE;
    return gridOverA(problem.shape, tile, tile);
  },
});
