import { BYTES_PER_ELEMENT } from '../dtype';
import type { GpuKernel } from '../kernel';
import { numberOf } from '../values';
import wgsl from './04-multi-row.wgsl';
import { gridOverA } from './tile';

export const multiRow: GpuKernel = {
  id: 'transpose/multi-row',
  op: 'transpose',
  runsOn: 'gpu',
  rung: 4,
  idea: 'The padded tile moved by fewer threads, several rows each',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    {
      name: 'TILE',
      about: 'Side of the tile, and threads across a workgroup',
      values: [8, 16, 32, 64],
      default: 32,
    },
    {
      name: 'ROWS',
      about: 'Threads down a workgroup; each moves TILE / ROWS rows',
      values: [1, 2, 4, 8, 16, 32],
      default: 8,
    },
  ],
  constraints: [
    {
      reason: 'ROWS must be at most TILE: the other threads would have no row to move',
      holds: (values) => numberOf(values, 'ROWS') <= numberOf(values, 'TILE'),
    },
  ],
  wgsl,
  needs: (values, dtype) => {
    const tile = numberOf(values, 'TILE');
    return {
      workgroupSize: [tile, numberOf(values, 'ROWS'), 1],
      workgroupBytes: tile * (tile + 1) * BYTES_PER_ELEMENT[dtype],
      features: [],
    };
  },
  workgroups: (values, problem) => {
    const tile = numberOf(values, 'TILE');
    return gridOverA(problem, tile, tile);
  },
};
