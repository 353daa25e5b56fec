import { gpuKernel } from '../kernel/kernel';
import { DTYPES } from '../problem/dtype';
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
  needs: ({ TILE }, dtype) => ({
    workgroupSize: [TILE, TILE, 1],
    workgroupBytes: TILE * (TILE + 1) * DTYPES[dtype].bytes,
  }),
  workgroups: ({ TILE }, { shape }) => gridOverA(shape, TILE, TILE),
});
