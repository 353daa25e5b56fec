import { gpuKernel } from '../kernel/kernel';
import { DTYPES } from '../problem/dtype';
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
  needs: ({ TILE }, dtype) => ({
    workgroupSize: [TILE, TILE, 1],
    workgroupBytes: TILE * TILE * DTYPES[dtype].bytes,
  }),
  workgroups: ({ TILE }, { shape }) => gridOverA(shape, TILE, TILE),
});
