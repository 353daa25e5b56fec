import { gpuKernel, tunable } from '../kernel/kernel';
import wgsl from './04-subgroup.wgsl?raw';
import { gridOverC } from './grid';
import { overElements } from './memory';

export const subgroup = gpuKernel({
  id: 'matmul/subgroup',
  op: 'matmul',
  rung: 4,
  changes: null,
  idea: 'Operands shared by subgroup shuffles, no workgroup memory',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    tunable('WORKGROUP', 'Threads per workgroup, one column of C each', [64, 128, 256], 128),
    tunable('ROWS', 'Rows of C per thread', [1, 2, 4, 8, 16], 16),
  ],
  wgsl: overElements(wgsl),
  batches: true,
  needs: ({ WORKGROUP }) => ({ workgroupSize: [WORKGROUP, 1, 1], features: ['subgroups'] }),
  workgroups: (values, problem) => gridOverC(problem.shape, values.ROWS, values.WORKGROUP),
});
