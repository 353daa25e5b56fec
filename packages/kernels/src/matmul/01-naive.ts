import { gpuKernel, tunable } from '../kernel/kernel';
import { DTYPES, idsOf } from '../problem/dtype';
import wgsl from './01-naive.wgsl?raw';
import { gridOverC, MAPPING } from './grid';
import { overElements } from './memory';

export const naive = gpuKernel({
  id: 'matmul/naive',
  op: 'matmul',
  rung: 1,
  idea: 'One thread per element, the sum in a register',
  dtypes: idsOf(DTYPES),
  tunables: [
    tunable('BLOCK', 'Threads along each side of a workgroup', [1, 2, 4, 8, 16, 32], 16),
    MAPPING,
  ],
  wgsl: overElements(wgsl),
  batches: true,
  needs: ({ BLOCK }) => ({ workgroupSize: [BLOCK, BLOCK, 1] }),
  workgroups: (values, { shape }) => gridOverC(shape, values.BLOCK, values.BLOCK, values),
});
