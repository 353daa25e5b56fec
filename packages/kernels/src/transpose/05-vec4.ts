import { BYTES_PER_ELEMENT } from '../dtype';
import type { GpuKernel } from '../kernel';
import { numberOf } from '../values';
import wgsl from './05-vec4.wgsl';
import { entryPointByAlignment } from './alignment';
import { gridOverA } from './tile';

export const vec4: GpuKernel = {
  id: 'transpose/vec4',
  op: 'transpose',
  runsOn: 'gpu',
  rung: 5,
  idea: 'The padded tile, read and written four elements at a time',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    {
      name: 'TILE',
      about: 'Side of the tile; a workgroup is TILE / 4 threads wide',
      values: [16, 32, 64],
      default: 64,
    },
    {
      name: 'ROWS',
      about: 'Threads down a workgroup; each moves TILE / ROWS rows',
      values: [4, 8, 16, 32],
      default: 16,
    },
  ],
  constraints: [
    {
      reason: 'ROWS must be at most TILE: the other threads would have no row to move',
      holds: (values) => numberOf(values, 'ROWS') <= numberOf(values, 'TILE'),
    },
  ],
  wgsl,
  entryPoint: entryPointByAlignment,
  needs: (values, dtype) => {
    const tile = numberOf(values, 'TILE');
    return {
      workgroupSize: [tile / 4, numberOf(values, 'ROWS'), 1],
      workgroupBytes: tile * (tile + 1) * BYTES_PER_ELEMENT[dtype],
      features: [],
    };
  },
  workgroups: (values, problem) => {
    const tile = numberOf(values, 'TILE');
    return gridOverA(problem, tile, tile);
  },
};
