import { gpuKernel, tunable } from '../kernel/kernel';
import { DTYPES } from '../problem/dtype';
import wgsl from './05-vec4.wgsl?raw';
import { entryPointByAlignment, gridOverA, ROWS_IN_TILE } from './tile';

export const vec4 = gpuKernel({
  id: 'transpose/vec4',
  op: 'transpose',
  rung: 5,
  idea: 'The padded tile, read and written four elements at a time',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    tunable('TILE', 'Side of the tile; a workgroup is TILE / 4 threads wide', [16, 32, 64], 64),
    tunable('ROWS', 'Threads down a workgroup; each moves TILE / ROWS rows', [4, 8, 16, 32], 16),
  ],
  constraints: [ROWS_IN_TILE],
  wgsl,
  entryPoint: entryPointByAlignment,
  needs: ({ TILE, ROWS }, dtype) => ({
    workgroupSize: [TILE / 4, ROWS, 1],
    workgroupBytes: TILE * (TILE + 1) * DTYPES[dtype].bytes,
  }),
  workgroups: ({ TILE }, { shape }) => gridOverA(shape, TILE, TILE),
});
