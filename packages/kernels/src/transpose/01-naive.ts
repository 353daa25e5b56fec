import { gpuKernel, tunable } from '../kernel';
import { ceilDiv } from '../numbers';
import wgsl from './01-naive.wgsl?raw';

export const naive = gpuKernel({
  id: 'transpose/naive',
  op: 'transpose',
  rung: 1,
  changes: null,
  idea: 'One element per thread',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    tunable('BLOCK', 'Threads along each side of a workgroup', [1, 2, 4, 8, 16, 32], 16),
    tunable(
      'DIRECTION',
      'Which access is coalesced: the read or the write',
      ['read-coalesced', 'write-coalesced'],
      'read-coalesced',
    ),
  ],
  wgsl,
  needs: (values) => {
    const block = values.BLOCK;
    return { workgroupSize: [block, block, 1] };
  },
  workgroups: (values, problem) => {
    const { rows, cols } = problem.shape;
    const block = values.BLOCK;
    const down = ceilDiv(rows, block);
    const across = ceilDiv(cols, block);
    return values.DIRECTION === 'write-coalesced' ? [down, across, 1] : [across, down, 1];
  },
});
