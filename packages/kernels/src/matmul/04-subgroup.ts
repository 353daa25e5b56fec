import { gpuKernel } from '../kernel';
import wgsl from './04-subgroup.wgsl';
import { gridOverC } from './grid';

export const subgroup = gpuKernel({
  id: 'matmul/subgroup',
  op: 'matmul',
  rung: 4,
  idea: 'Operands shared by subgroup shuffles, no workgroup memory',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    {
      name: 'WORKGROUP',
      about: 'Threads per workgroup, one column of C each',
      values: [64, 128, 256],
      default: 128,
    },
    {
      name: 'ROWS',
      about: 'Rows of C per thread',
      values: [1, 2, 4, 8, 16],
      default: 16,
    },
  ],
  constraints: [],
  wgsl,
  needs: (values) => ({
    workgroupSize: [values.WORKGROUP, 1, 1],
    workgroupBytes: 0,
    features: ['subgroups'],
  }),
  workgroups: (values, problem) => gridOverC(problem.shape, values.ROWS, values.WORKGROUP),
});
