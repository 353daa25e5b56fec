import { BYTES_PER_ELEMENT } from '../dtype';
import type { GpuKernel } from '../kernel';
import { numberOf } from '../values';
import wgsl from './03-tiled-wpt.wgsl';
import { gridOverC } from './grid';

export const tiledWpt: GpuKernel = {
  id: 'matmul/tiled-wpt',
  op: 'matmul',
  runsOn: 'gpu',
  rung: 3,
  idea: 'Square tiles, several elements of a column a thread',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    {
      name: 'TILE',
      about: 'Side of a tile, and threads across a workgroup',
      values: [16, 32],
      default: 32,
    },
    {
      name: 'WPT',
      about: 'Work per thread: elements of a column of C it computes',
      values: [2, 4, 8],
      default: 8,
    },
  ],
  constraints: [],
  wgsl,
  needs: (values, dtype) => {
    const tile = numberOf(values, 'TILE');
    return {
      workgroupSize: [tile, tile / numberOf(values, 'WPT'), 1],
      workgroupBytes: 2 * tile * tile * BYTES_PER_ELEMENT[dtype],
      features: [],
    };
  },
  workgroups: (values, problem) => {
    const tile = numberOf(values, 'TILE');
    return gridOverC(values, problem, tile, tile);
  },
};
