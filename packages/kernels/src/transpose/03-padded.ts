import { DTYPES } from '../dtype';
import { gpuKernel } from '../kernel';
import wgsl from './03-padded.wgsl?raw';
import { gridOverA, TILE } from './tile';

export const padded = gpuKernel({
  id: 'transpose/padded',
  op: 'transpose',
  rung: 3,
  idea: 'A padding column in the tile, so that there are no bank conflicts',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [TILE],
  wgsl,
  needs: (values, dtype) => {
    const tile = values.TILE;
    return {
      workgroupSize: [tile, tile, 1],
      workgroupBytes: tile * (tile + 1) * DTYPES[dtype].bytes,
    };
  },
  workgroups: (values, problem) => {
    const tile = values.TILE;
    return gridOverA(problem.shape, tile, tile);
  },
});
