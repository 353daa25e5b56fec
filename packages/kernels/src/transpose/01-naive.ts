import { gpuKernel } from '../kernel';
import { ceilDiv } from '../numbers';
import wgsl from './01-naive.wgsl';

export const naive = gpuKernel({
  id: 'transpose/naive',
  op: 'transpose',
  rung: 1,
  idea: 'One element per thread',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    {
      name: 'BLOCK',
      about: 'Threads along each side of a workgroup',
      values: [1, 2, 4, 8, 16, 32],
      default: 16,
    },
    {
      name: 'DIRECTION',
      about: 'Which access is coalesced: the read or the write',
      values: ['read-coalesced', 'write-coalesced'],
      default: 'read-coalesced',
    },
  ],
  constraints: [],
  wgsl,
  needs: (values) => {
    const block = values.BLOCK;
    return { workgroupSize: [block, block, 1], workgroupBytes: 0, features: [] };
  },
  workgroups: (values, problem) => {
    const { rows, cols } = problem.shape;
    const block = values.BLOCK;
    const down = ceilDiv(rows, block);
    const across = ceilDiv(cols, block);
    return values.DIRECTION === 'write-coalesced' ? [down, across, 1] : [across, down, 1];
  },
});
