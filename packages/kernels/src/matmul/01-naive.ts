import type { GpuKernel } from '../kernel';
import { numberOf } from '../values';
import wgsl from './01-naive.wgsl';
import { gridOverC } from './grid';
import { MAPPING } from './tunables';

export const naive: GpuKernel = {
  id: 'matmul/naive',
  op: 'matmul',
  runsOn: 'gpu',
  rung: 1,
  idea: 'One thread an element, the sum in a register',
  dtypes: ['f32', 'i32', 'f16', 'f16acc16'],
  tunables: [
    {
      name: 'BLOCK',
      about: 'Threads along each side of a workgroup',
      values: [1, 2, 4, 8, 16, 32],
      default: 16,
    },
    MAPPING,
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
