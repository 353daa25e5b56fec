import { gpuKernel, tunable } from '../kernel';
import wgsl from './00-naive-global.wgsl?raw';
import { batched, gridOverC } from './grid';

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
  wgsl,
  batches: batched,
  needs: (values) => {
    const block = values.BLOCK;
    return { workgroupSize: [block, block, 1] };
  },
  workgroups: (values, problem) => {
    const block = values.BLOCK;
    return gridOverC(problem.shape, block, block);
  },
});
