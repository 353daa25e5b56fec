import { BYTES_PER_ELEMENT } from '../dtype';
import type { GpuKernel, Tunable } from '../kernel';
import { numberOf } from '../values';
import wgsl from './02-tiled.wgsl';
import { gridOverC } from './grid';
import { MAPPING } from './tunables';

const layout = (name: string, tensor: string): Tunable => ({
  name,
  about: `The tile of ${tensor} in workgroup memory: as in ${tensor} (row) or transposed (col)`,
  values: ['row', 'col'],
  default: 'row',
});

export const tiled: GpuKernel = {
  id: 'matmul/tiled',
  op: 'matmul',
  runsOn: 'gpu',
  rung: 2,
  idea: 'Square tiles of A and B in workgroup memory',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    {
      name: 'TILE',
      about: 'Side of a tile, and threads along each side of a workgroup',
      values: [1, 2, 4, 8, 16, 32],
      default: 16,
    },
    layout('A_LAYOUT', 'A'),
    layout('B_LAYOUT', 'B'),
    MAPPING,
  ],
  constraints: [],
  wgsl,
  needs: (values, dtype) => {
    const tile = numberOf(values, 'TILE');
    return {
      workgroupSize: [tile, tile, 1],
      workgroupBytes: 2 * tile * tile * BYTES_PER_ELEMENT[dtype],
      features: [],
    };
  },
  workgroups: (values, problem) => {
    const tile = numberOf(values, 'TILE');
    return gridOverC(values, problem, tile, tile);
  },
};
