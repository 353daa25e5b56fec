import type { GpuKernel } from '../kernel';
import { numberOf } from '../values';
import wgsl from './04-subgroup.wgsl';
import { gridOverC } from './grid';

export const subgroup: GpuKernel = {
  id: 'matmul/subgroup',
  op: 'matmul',
  runsOn: 'gpu',
  rung: 4,
  idea: 'Operands shared by subgroup shuffles, no workgroup memory',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    {
      name: 'WORKGROUP',
      about: 'Threads in a workgroup, one column of C each',
      values: [64, 128, 256],
      default: 128,
    },
    {
      name: 'ROWS',
      about: 'Rows of C a thread computes',
      values: [1, 2, 4, 8, 16],
      default: 16,
    },
  ],
  constraints: [],
  wgsl,
  needs: (values) => ({
    workgroupSize: [numberOf(values, 'WORKGROUP'), 1, 1],
    workgroupBytes: 0,
    features: ['subgroups'],
  }),
  workgroups: (values, problem) =>
    gridOverC(values, problem, numberOf(values, 'ROWS'), numberOf(values, 'WORKGROUP')),
};
