import { BYTES_PER_ELEMENT } from '../dtype';
import type { GpuKernel } from '../kernel';
import { numberOf } from '../values';
import wgsl from './02-tiled.wgsl';
import { gridOverA, TILE } from './tile';

export const tiled: GpuKernel = {
  id: 'transpose/tiled',
  op: 'transpose',
  runsOn: 'gpu',
  rung: 2,
  idea: 'Through a square tile in workgroup memory: both sides coalesced',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [TILE],
  constraints: [],
  wgsl,
  needs: (values, dtype) => {
    const tile = numberOf(values, 'TILE');
    return {
      workgroupSize: [tile, tile, 1],
      workgroupBytes: tile * tile * BYTES_PER_ELEMENT[dtype],
      features: [],
    };
  },
  workgroups: (values, problem) => {
    const tile = numberOf(values, 'TILE');
    return gridOverA(problem, tile, tile);
  },
};
