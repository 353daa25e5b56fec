import { DTYPES, idsOf } from '../dtype';
import { gpuKernel, tunable } from '../kernel';
import wgsl from './01-naive.wgsl?raw';
import { batched, gridOverC, MAPPING } from './grid';
import { asStored } from './stored';

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
  wgsl,
  stored: asStored,
  batches: batched,
  needs: (values) => {
    const block = values.BLOCK;
    return { workgroupSize: [block, block, 1] };
  },
  workgroups: (values, problem) => {
    const block = values.BLOCK;
    return gridOverC(problem.shape, block, block, values.MAPPING);
  },
});
