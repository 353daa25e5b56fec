import { gpuKernel, tunable } from '../kernel/kernel';
import { ceilDiv } from '../numbers';
import wgsl from './00-copy.wgsl?raw';

/** Most workgroups along x, below the limit of 65,535; the rest go along y. */
const GROUPS_X = 32_768;

export const copy = gpuKernel({
  id: 'transpose/copy',
  op: 'transpose',
  rung: 0,
  idea: 'The ceiling: copies the same bytes, vec4 by vec4, without transposing',
  computes: 'copy',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [tunable('WORKGROUP', 'Threads per workgroup', [64, 128, 256, 512, 1024], 256)],
  wgsl,
  needs: ({ WORKGROUP }) => ({ workgroupSize: [WORKGROUP, 1, 1] }),
  workgroups: (values, problem) => {
    const { rows, cols } = problem.shape;
    const groups = ceilDiv(ceilDiv(rows * cols, 4), values.WORKGROUP);
    return [Math.min(groups, GROUPS_X), ceilDiv(groups, GROUPS_X), 1];
  },
});
