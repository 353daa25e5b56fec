import type { GpuKernel } from '../kernel';
import { ceilDiv, numberOf } from '../values';
import wgsl from './00-copy.wgsl';
import { transposeShape } from './op';

/** Workgroups along x before the next row of workgroups begins: below the limit of 65,535. */
const GROUPS_X = 32_768;

export const copy: GpuKernel = {
  id: 'transpose/copy',
  op: 'transpose',
  runsOn: 'gpu',
  rung: 0,
  idea: 'The ceiling: the same bytes moved, vec4 by vec4, without transposing',
  computes: 'copy',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    {
      name: 'WORKGROUP',
      about: 'Threads in a workgroup',
      values: [64, 128, 256, 512, 1024],
      default: 256,
    },
  ],
  constraints: [],
  wgsl,
  needs: (values) => ({
    workgroupSize: [numberOf(values, 'WORKGROUP'), 1, 1],
    workgroupBytes: 0,
    features: [],
  }),
  workgroups: (values, problem) => {
    const { rows, cols } = transposeShape(problem);
    const groups = ceilDiv(ceilDiv(rows * cols, 4), numberOf(values, 'WORKGROUP'));
    return [Math.min(groups, GROUPS_X), ceilDiv(groups, GROUPS_X), 1];
  },
};
