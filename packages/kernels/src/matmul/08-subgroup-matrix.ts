import { DTYPES, type Dtype } from '../dtype';
import { type Constraint, gpuKernel, tunable, type ValuesOf } from '../kernel';
import { emitFragmentKernel } from './fragment-emitter';
import {
  type FragmentLayout,
  fragmentBytes,
  fragmentEntryPoint,
  fragmentThreads,
} from './fragment-layout';
import { gridOverC } from './grid';
import { addPasses, partBytes } from './tile-memory';

/** The shader relies on which threads form a subgroup, so it needs subgroups of this size. */
const SUBGROUP = 32;

/** Rows of tiles per band of ORDER=bands. */
const BAND = 4;

/** How many eighths of a tile's multiplications precede the loads of each matrix, by LOADS. */
const LOADS_AT = {
  ahead: { a: 0, b: 0 },
  halfway: { a: 4, b: 4 },
  staggered: { a: 1, b: 4 },
} as const satisfies Record<string, FragmentLayout['loadsAt']>;

const TUNABLES = [
  tunable('BM', 'Rows of C per workgroup', [16, 32, 64, 128, 256], 128),
  tunable('BN', 'Columns of C per workgroup', [32, 64, 128, 256], 128),
  tunable('BK', 'Steps of K staged in workgroup memory at a time', [16, 32, 64], 32),
  tunable('WM', 'Rows of C per subgroup', [16, 32, 64, 128], 64),
  tunable('WN', 'Columns of C per subgroup', [16, 32, 64, 128], 64),
  tunable('FRAGMENT_N', 'N of one 16 x N x 16 matrix multiplication', [8, 16], 16),
  tunable(
    'LOADS',
    "When the next tile is loaded: before the first multiplication (ahead), after half of them (halfway), or A's tile after an eighth and B's after half (staggered)",
    ['ahead', 'halfway', 'staggered'],
    'ahead',
  ),
  tunable(
    'ORDER',
    `Neighbouring workgroups run along a row of tiles of C, or down the columns of bands of ${BAND} rows of tiles`,
    ['rows-first', 'bands'],
    'rows-first',
  ),
  tunable('UNROLL', 'Tiles of K per iteration of the loop over them', [1, 2], 1),
  tunable(
    'SPLIT',
    'Parts of K, each summed by its own workgroups, then added by a second pass; 1: no split',
    [1, 2, 4, 8, 16, 32, 64],
    1,
  ),
] as const;

type Values = ValuesOf<typeof TUNABLES>;

function layoutOf(values: Values, dtype: Dtype = 'f16'): FragmentLayout {
  return {
    bm: values.BM,
    bn: values.BN,
    bk: values.BK,
    subgroup: SUBGROUP,
    wm: values.WM,
    wn: values.WN,
    fragment: { m: 16, n: values.FRAGMENT_N, k: 16 },
    sums: DTYPES[dtype].sums === 'f16' ? 'f16' : 'f32',
    loadsAt: LOADS_AT[values.LOADS],
    ...(values.ORDER === 'bands' && { band: BAND }),
    unroll: values.UNROLL,
    split: values.SPLIT,
  };
}

const constraint = (
  reason: string,
  holds: (layout: FragmentLayout) => boolean,
): Constraint<Values> => ({
  reason,
  holds: (values) => holds(layoutOf(values)),
});

export const subgroupMatrix = gpuKernel({
  id: 'matmul/subgroup-matrix',
  op: 'matmul',
  rung: 8,
  idea: 'A subgroup multiplies 16-wide matrices in one instruction (tensor cores)',
  dtypes: ['f16', 'f16acc16'],
  tunables: TUNABLES,
  constraints: [
    constraint('WM must divide BM', ({ bm, wm }) => bm % wm === 0),
    constraint('WN must divide BN', ({ bn, wn }) => bn % wn === 0),
    constraint(
      'WM x WN must be at most 8192: more sums would not fit in registers',
      ({ wm, wn }) => wm * wn <= 8192,
    ),
    constraint(
      'BM x BK and BN x BK must be multiples of 8 x threads: each thread stages 16 bytes at a time',
      (layout) =>
        [layout.bm, layout.bn].every(
          (length) => (length * layout.bk) % (8 * fragmentThreads(layout)) === 0,
        ),
    ),
  ],
  problemConstraints: [
    {
      reason: 'WM x WN must be at most 4096 with f32 sums, which take twice the registers',
      holds: (values, { dtype }) => {
        const { wm, wn, sums } = layoutOf(values, dtype);
        return sums === 'f16' || wm * wn <= 4096;
      },
    },
  ],
  wgsl: (values, dtype) => emitFragmentKernel(layoutOf(values, dtype)),
  entryPoint: (_values, problem) => fragmentEntryPoint(problem.shape),
  needs: (values, dtype) => {
    const layout = layoutOf(values, dtype);
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
    const { bm, bn } = layoutOf(values);
    const [x, y] = gridOverC(problem.shape, bm, bn);
    return [x, y, values.SPLIT];
  },
  followUps: (values, problem) => addPasses(values.SPLIT, problem.shape),
  scratchBytes: (values, problem) => partBytes(values.SPLIT, problem.shape),
});
