import { DTYPES } from '../dtype';
import { gpuKernel } from '../kernel';
import { emitFragmentKernel } from './fragment-emitter';
import {
  FRAGMENT_TUNABLES,
  fragmentBytes,
  fragmentEntryPoint,
  fragmentLayout,
  fragmentThreads,
  SUBGROUP,
} from './fragment-layout';
import { gridOverC } from './grid';
import { SPLIT_PASSES } from './tile-memory';

/** What every kernel of this kind declares alike. */
export const FRAGMENT_KERNEL = {
  op: 'matmul',
  dtypes: ['f16', 'f16acc16'],
  constraints: [
    { reason: 'WM must divide BM', holds: ({ BM, WM }) => BM % WM === 0 },
    { reason: 'WN must divide BN', holds: ({ BN, WN }) => BN % WN === 0 },
    {
      reason: 'WM × WN must be at most 8192: more sums would not fit in registers',
      holds: ({ WM, WN }) => WM * WN <= 8192,
    },
    {
      reason:
        'BM × BK and BN × BK must be multiples of 8 × threads: each thread stages 16 bytes at a time',
      holds: (values) =>
        [values.BM, values.BN].every(
          (length) => (length * values.BK) % (8 * fragmentThreads(values)) === 0,
        ),
    },
  ],
  problemConstraints: [
    {
      reason: 'WM × WN must be at most 4096 with f32 sums, which take twice the registers',
      holds: ({ WM, WN }, { dtype }) => DTYPES[dtype].sums === 'f16' || WM * WN <= 4096,
    },
  ],
  entryPoint: (_values, problem) => fragmentEntryPoint(problem.shape),
  needs: (values, dtype) => {
    const layout = fragmentLayout(values, dtype);
    const { m, n, k } = layout.fragment;
    return {
      workgroupSize: [fragmentThreads(layout), 1, 1],
      workgroupBytes: fragmentBytes(layout),
      features: [
        'subgroups',
        'chromium-experimental-subgroup-matrix',
        `subgroup-size-${SUBGROUP}`,
        `subgroup-matrix-${layout.sums}-f16-${m}x${n}x${k}`,
      ],
    };
  },
  workgroups: (values, problem) => {
    const [x, y, z] = gridOverC(problem.shape, values.BM, values.BN);
    return [x, y, z * values.SPLIT];
  },
  ...SPLIT_PASSES,
} satisfies Partial<Parameters<typeof gpuKernel<'matmul', typeof FRAGMENT_TUNABLES>>[0]>;

export const subgroupMatrix = gpuKernel({
  ...FRAGMENT_KERNEL,
  id: 'matmul/subgroup-matrix',
  rung: 8,
  changes: null,
  idea: 'A subgroup multiplies 16-wide matrices in one instruction (tensor cores)',
  tunables: FRAGMENT_TUNABLES,
  wgsl: (values, dtype) => emitFragmentKernel(fragmentLayout(values, dtype)),
  batchWgsl: (values, dtype) =>
    emitFragmentKernel({ ...fragmentLayout(values, dtype), batched: true }),
});
