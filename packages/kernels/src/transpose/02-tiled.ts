import { DTYPES } from '../dtype';
import { gpuKernel } from '../kernel';
import wgsl from './02-tiled.wgsl?raw';
import { gridOverA, TILE } from './tile';

export const tiled = gpuKernel({
  id: 'transpose/tiled',
  op: 'transpose',
  rung: 2,
  idea: 'A square tile in workgroup memory, so that reads and writes are both coalesced',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [TILE],
  wgsl,
  needs: (values, dtype) => {
    const tile = values.TILE;
    return {
      workgroupSize: [tile, tile, 1],
      workgroupBytes: tile * tile * DTYPES[dtype].bytes,
    };
  },
  workgroups: (values, problem) => {
    const tile = values.TILE;
    return gridOverA(problem.shape, tile, tile);
  },
});
