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
  problemConstraints: [
    {
      reason: 'keeps its sums in C, so none is finished for an epilogue on its way there',
      holds: (_values, { epilogue }) => epilogue === undefined,
    },
  ],
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
