import { gpuKernel, tunable } from '../kernel/kernel';
import wgsl from './01-naive.wgsl?raw';
import { gridOverA } from './tile';

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
  needs: ({ BLOCK }) => ({ workgroupSize: [BLOCK, BLOCK, 1] }),
  workgroups: ({ BLOCK, DIRECTION }, { shape }) =>
    gridOverA(shape, BLOCK, BLOCK, DIRECTION === 'write-coalesced' ? 'cols-first' : 'rows-first'),
});
