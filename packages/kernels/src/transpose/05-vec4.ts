import { DTYPES } from '../dtype';
import { gpuKernel, tunable } from '../kernel';
import wgsl from './05-vec4.wgsl?raw';
import { entryPointByAlignment, gridOverA } from './tile';

export const vec4 = gpuKernel({
  id: 'transpose/vec4',
  op: 'transpose',
  rung: 5,
  idea: 'The padded tile, read and written four elements at a time',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    tunable('TILE', 'Side of the tile; a workgroup is TILE / 4 threads wide', [16, 32, 64], 64),
    tunable('ROWS', 'Threads down a workgroup; each moves TILE / ROWS rows', [4, 8, 16, 32], 16),
  ],
  constraints: [
    {
      reason: 'ROWS must be at most TILE; further threads would have no row to move',
      holds: (values) => values.ROWS <= values.TILE,
    },
  ],
  wgsl,
  entryPoint: entryPointByAlignment,
  needs: (values, dtype) => {
    const tile = values.TILE;
    return {
      workgroupSize: [tile / 4, values.ROWS, 1],
      workgroupBytes: tile * (tile + 1) * DTYPES[dtype].bytes,
    };
  },
  workgroups: (values, problem) => {
    const tile = values.TILE;
    return gridOverA(problem.shape, tile, tile);
  },
});
