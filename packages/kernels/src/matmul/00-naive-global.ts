import { gpuKernel, tunable } from '../kernel/kernel';
import wgsl from './00-naive-global.wgsl?raw';
import { gridOverC } from './grid';
import { overElements } from './memory';

export const naiveGlobal = gpuKernel({
  id: 'matmul/naive-global',
  op: 'matmul',
  rung: 0,
  idea: 'One thread per element, the sum in global memory',
  // No f16: sums are kept in C, so they would be rounded to f16 at every step.
  dtypes: ['f32', 'i32'],
  tunables: [tunable('BLOCK', 'Threads along each side of a workgroup', [1, 2, 4, 8, 16, 32], 16)],
  // Its sums are kept in C, so none is finished on its way there.
  fuses: false,
  wgsl: overElements(wgsl),
  batches: true,
  needs: ({ BLOCK }) => ({ workgroupSize: [BLOCK, BLOCK, 1] }),
  workgroups: ({ BLOCK }, { shape }) => gridOverC(shape, BLOCK, BLOCK),
});
