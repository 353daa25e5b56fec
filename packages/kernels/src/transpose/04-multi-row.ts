import { combinations } from '../kernel/combinations';
import { gpuKernel, tunable } from '../kernel/kernel';
import { DTYPES } from '../problem/dtype';
import wgsl from './04-multi-row.wgsl?raw';
import { gridOverA, ROWS_IN_TILE } from './tile';

export const multiRow = gpuKernel({
  id: 'transpose/multi-row',
  op: 'transpose',
  rung: 4,
  idea: 'The padded tile, moved by fewer threads, several rows each',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    tunable('TILE', 'Side of the tile, and threads across a workgroup', [8, 16, 32, 64], 32),
    tunable(
      'ROWS',
      'Threads down a workgroup; each moves TILE / ROWS rows',
      [1, 2, 4, 8, 16, 32],
      8,
    ),
  ],
  constraints: [ROWS_IN_TILE],
  wgsl,
  needs: ({ TILE, ROWS }, dtype) => ({
    workgroupSize: [TILE, ROWS, 1],
    workgroupBytes: TILE * (TILE + 1) * DTYPES[dtype].bytes,
  }),
  workgroups: ({ TILE }, { shape }) => gridOverA(shape, TILE, TILE),
  candidates: () => combinations({ TILE: [32, 64], ROWS: [4, 8, 16] }),
});
