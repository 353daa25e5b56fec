import { type Dtype, sumType } from '../dtype';
import type { Constraint, GpuKernel, TunableValues } from '../kernel';
import { numberOf } from '../values';
import { emitFragmentKernel } from './fragment-emitter';
import {
  type FragmentLayout,
  fragmentBytes,
  fragmentEntryPoint,
  fragmentThreads,
} from './fragment-layout';
import { gridOverC } from './grid';
import { matmulShape } from './op';

/** The shader knows which thread is in which subgroup, so it asks for subgroups of this size. */
const SUBGROUP = 32;

/** Rows of tiles in a band of ORDER=bands. */
const BAND = 4;

/** After how many eighths of a tile's multiplications the loads of each matrix are issued, by LOADS. */
const LOADS_AT = {
  ahead: { a: 0, b: 0 },
  halfway: { a: 4, b: 4 },
  staggered: { a: 1, b: 4 },
} as const satisfies Record<string, FragmentLayout['loadsAt']>;

function layoutOf(values: TunableValues, dtype: Dtype = 'f16'): FragmentLayout {
  const tunable = (name: string) => numberOf(values, name);
  return {
    bm: tunable('BM'),
    bn: tunable('BN'),
    bk: tunable('BK'),
    subgroup: SUBGROUP,
    wm: tunable('WM'),
    wn: tunable('WN'),
    fragment: { m: 16, n: tunable('FRAGMENT_N'), k: 16 },
    sums: sumType(dtype) === 'f16' ? 'f16' : 'f32',
    loadsAt: LOADS_AT[values.LOADS as keyof typeof LOADS_AT],
    ...(values.ORDER === 'bands' && { band: BAND }),
    unroll: tunable('UNROLL'),
  };
}

const size = (name: string, about: string, values: readonly number[], initial: number) => ({
  name,
  about,
  values,
  default: initial,
});

const constraint = (reason: string, holds: (layout: FragmentLayout) => boolean): Constraint => ({
  reason,
  holds: (values) => holds(layoutOf(values)),
});

export const subgroupMatrix: GpuKernel = {
  id: 'matmul/subgroup-matrix',
  op: 'matmul',
  runsOn: 'gpu',
  rung: 8,
  idea: 'A subgroup multiplies 16-wide matrices in one instruction (tensor cores)',
  dtypes: ['f16', 'f16acc16'],
  tunables: [
    size('BM', 'Rows of C a workgroup computes', [32, 64, 128, 256], 128),
    size('BN', 'Columns of C a workgroup computes', [32, 64, 128, 256], 128),
    size('BK', 'Steps of K staged at a time', [16, 32, 64], 32),
    size('WM', 'Rows of C a subgroup computes', [16, 32, 64, 128], 64),
    size('WN', 'Columns of C a subgroup computes', [16, 32, 64, 128], 64),
    size(
      'FRAGMENT_N',
      'Columns of the right matrix of one multiplication, 16 x 16 x N',
      [8, 16],
      16,
    ),
    {
      name: 'LOADS',
      about:
        "The next tile's loads: before the first multiplication, after half of them, or those of A after an eighth and of B after half",
      values: ['ahead', 'halfway', 'staggered'],
      default: 'ahead',
    },
    {
      name: 'ORDER',
      about: `Neighbouring workgroups lie along a row of C, or down the columns of bands of ${BAND} rows of tiles`,
      values: ['rows-first', 'bands'],
      default: 'rows-first',
    },
    size('UNROLL', 'Tiles of K written out in the loop over them', [1, 2], 1),
  ],
  constraints: [
    constraint('WM must divide BM', ({ bm, wm }) => bm % wm === 0),
    constraint('WN must divide BN', ({ bn, wn }) => bn % wn === 0),
    constraint(
      'WM x WN must be at most 8192: more sums than that and they spill out of the registers',
      ({ wm, wn }) => wm * wn <= 8192,
    ),
    constraint(
      'BM x BK and BN x BK must be multiples of 8 for each thread, which stages 16 bytes at a time',
      (layout) =>
        [layout.bm, layout.bn].every(
          (length) => (length * layout.bk) % (8 * fragmentThreads(layout)) === 0,
        ),
    ),
  ],
  problemConstraints: [
    {
      reason: 'WM x WN must be at most 4096 with sums in f32: they take twice the registers',
      holds: (values, { dtype }) => {
        const { wm, wn } = layoutOf(values);
        return dtype === 'f16acc16' || wm * wn <= 4096;
      },
    },
  ],
  wgsl: (values, dtype) => emitFragmentKernel(layoutOf(values, dtype)),
  entryPoint: (_values, problem) => fragmentEntryPoint(matmulShape(problem)),
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
    return gridOverC(values, problem, bm, bn);
  },
};
