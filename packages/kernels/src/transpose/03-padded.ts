import { BYTES_PER_ELEMENT } from '../dtype';
import type { GpuKernel } from '../kernel';
import { numberOf } from '../values';
import wgsl from './03-padded.wgsl';
import { gridOverA, TILE } from './tile';

export const padded: GpuKernel = {
  id: 'transpose/padded',
  op: 'transpose',
  runsOn: 'gpu',
  rung: 3,
  idea: 'The tile with one padding column: no bank conflicts',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [TILE],
  constraints: [],
  wgsl,
  needs: (values, dtype) => {
    const tile = numberOf(values, 'TILE');
    return {
      workgroupSize: [tile, tile, 1],
      workgroupBytes: tile * (tile + 1) * BYTES_PER_ELEMENT[dtype],
      features: [],
    };
  },
  workgroups: (values, problem) => {
    const tile = numberOf(values, 'TILE');
    return gridOverA(problem, tile, tile);
  },
};
