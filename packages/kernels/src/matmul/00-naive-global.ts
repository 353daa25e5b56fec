import type { GpuKernel } from '../kernel';
import { numberOf } from '../values';
import wgsl from './00-naive-global.wgsl';
import { gridOverC } from './grid';

export const naiveGlobal: GpuKernel = {
  id: 'matmul/naive-global',
  op: 'matmul',
  runsOn: 'gpu',
  rung: 0,
  idea: 'One thread an element, the sum in global memory',
  // Not f16: sums are kept in C, and would be rounded to f16 at every step.
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
    const block = numberOf(values, 'BLOCK');
    return { workgroupSize: [block, block, 1], workgroupBytes: 0, features: [] };
  },
  workgroups: (values, problem) => {
    const block = numberOf(values, 'BLOCK');
    return gridOverC(values, problem, block, block);
  },
};
