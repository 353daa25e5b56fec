import { gpuKernel } from '../kernel';
import wgsl from './00-naive-global.wgsl';
import { gridOverC } from './grid';

export const naiveGlobal = gpuKernel({
  id: 'matmul/naive-global',
  op: 'matmul',
  rung: 0,
  idea: 'One thread per element, the sum in global memory',
  // No f16: sums are kept in C, so they would be rounded to f16 at every step.
  dtypes: ['f32', 'i32'],
  tunables: [
    {
      name: 'BLOCK',
      about: 'Threads along each side of a workgroup',
      values: [1, 2, 4, 8, 16, 32],
      default: 16,
    },
  ],
  constraints: [],
  wgsl,
  needs: (values) => {
    const block = values.BLOCK;
    return { workgroupSize: [block, block, 1], workgroupBytes: 0, features: [] };
  },
  workgroups: (values, problem) => {
    const block = values.BLOCK;
    return gridOverC(problem.shape, block, block);
  },
});
