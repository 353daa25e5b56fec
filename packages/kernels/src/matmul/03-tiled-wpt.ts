import { gpuKernel, tunable } from '../kernel/kernel';
import { DTYPES } from '../problem/dtype';
import wgsl from './03-tiled-wpt.wgsl?raw';
import { gridOverC } from './grid';
import { overElements } from './memory';

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
  wgsl: overElements(wgsl),
  batches: true,
  needs: ({ TILE, WPT }, dtype) => ({
    workgroupSize: [TILE, TILE / WPT, 1],
    workgroupBytes: 2 * TILE * TILE * DTYPES[dtype].bytes,
  }),
  workgroups: ({ TILE }, { shape }) => gridOverC(shape, TILE, TILE),
});
