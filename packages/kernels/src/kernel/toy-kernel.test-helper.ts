import { ceilDiv, gpuKernel, KERNELS, type Kernel, tunable } from '@tilemark/kernels';
import wgsl from '../matmul/01-naive.wgsl?raw';

/** A kernel that nothing but the registry knows. */
export const toyKernel = gpuKernel({
  id: 'matmul/toy',
  op: 'matmul',
  rung: 99,
  idea: 'A kernel of a test',
  dtypes: ['f32'],
  tunables: [
    tunable('BLOCK', 'Threads along each side of a workgroup', [8, 16], 8),
    tunable('MAPPING', 'Which way neighbours run', ['col-x', 'row-x'], 'col-x'),
    tunable('PIECES', 'Pieces of K', [1, 2, 4, 8], 1),
  ],
  wgsl,
  needs: ({ BLOCK }) => ({ workgroupSize: [BLOCK, BLOCK, 1] }),
  workgroups: ({ BLOCK, PIECES }, { shape: { m, n } }) => [
    ceilDiv(n, BLOCK),
    ceilDiv(m, BLOCK),
    PIECES,
  ],
  splitBy: ['PIECES'],
  work: ({ PIECES }, { shape }) => ({ steps: shape.k / PIECES }),
  candidates: () => [{}, { BLOCK: 16 }, { PIECES: 4 }, { PIECES: 3 }],
});

/** Its line in the registry; returns what takes it out again. */
export function addToyKernel(): () => void {
  const kernels = KERNELS as Kernel[];
  kernels.push(toyKernel);
  return () => void kernels.splice(kernels.indexOf(toyKernel), 1);
}
