import { gpuKernel, tunable } from '../kernel/kernel';
import { DTYPES } from '../problem/dtype';
import wgsl from './07-split-k.wgsl?raw';
import { gridOverC } from './grid';
import { overElements } from './memory';

/** Sums are kept in f32 or i32. */
const BYTES_PER_SUM = 4;

export const splitK = gpuKernel({
  id: 'matmul/split-k',
  op: 'matmul',
  rung: 7,
  changes: 'matmul/tiled',
  idea: 'K split among workgroups; a second pass adds their sums',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    tunable('TILE', 'Side of a tile, and threads along each side of a workgroup', [8, 16, 32], 16),
    tunable('SPLIT', 'Parts of K, each summed by its own workgroup', [2, 4, 8, 16, 32], 8),
  ],
  wgsl: overElements(wgsl),
  needs: ({ TILE }, dtype) => ({
    workgroupSize: [TILE, TILE, 1],
    workgroupBytes: 2 * TILE * TILE * DTYPES[dtype].bytes,
  }),
  workgroups: ({ TILE, SPLIT }, { shape }) => gridOverC(shape, TILE, TILE, { SPLIT }),
  followUps: ({ TILE }, { shape }) => [
    { entryPoint: 'add_parts', workgroups: gridOverC(shape, TILE, TILE) },
  ],
  scratchBytes: ({ SPLIT }, { shape: { m, n } }) => SPLIT * m * n * BYTES_PER_SUM,
  splitBy: ['SPLIT'],
  work: ({ SPLIT }, { shape }) => ({ steps: shape.k / SPLIT }),
});
