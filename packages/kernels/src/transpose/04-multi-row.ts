import { combinations } from '../combinations';
import { DTYPES } from '../dtype';
import { gpuKernel, tunable } from '../kernel';
import wgsl from './04-multi-row.wgsl?raw';
import { gridOverA } from './tile';

export const multiRow = gpuKernel({
  id: 'transpose/multi-row',
  op: 'transpose',
  rung: 4,
  idea: 'The padded tile, moved by fewer threads, several rows each',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    tunable('TILE', 'Side of the tile, and threads across a workgroup', [8, 16, 32, 64], 32),
    tunable(
      'ROWS',
      'Threads down a workgroup; each moves TILE / ROWS rows',
      [1, 2, 4, 8, 16, 32],
      8,
    ),
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
    };
  },
  workgroups: (values, problem) => {
    const tile = values.TILE;
    return gridOverA(problem.shape, tile, tile);
  },
  candidates: () => combinations({ TILE: [32, 64], ROWS: [4, 8, 16] }),
});
