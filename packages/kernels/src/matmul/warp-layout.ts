import type { Constraint, ProblemConstraint, Tunable, TunableValues } from '../kernel';
import { numberOf } from '../values';
import type { TileLayout } from './tile-layout';

/** Threads that NVIDIA and others run in lockstep. Nothing breaks where it is another number. */
const WARP = 32;

/**
 * How a lane's number spreads over the lanes down and across, by the number down; lowest
 * bit first: r adds to the row, c to the column. Interleaved, so that the lanes whose
 * reads are served together want few different vec4s of either tile.
 */
const LANE_BITS: Readonly<Record<number, string>> = {
  16: 'crrrr',
  8: 'rrccr',
  4: 'crcrc',
  2: 'ccrcc',
};

/** Numbers that follow from the tunables. */
function sizesOf(values: TunableValues) {
  const lanesDown = numberOf(values, 'LANES_DOWN');
  const lanesAcross = WARP / lanesDown;
  const [bm, bn, bk] = ['BM', 'BN', 'BK'].map((name) => numberOf(values, name)) as [
    number,
    number,
    number,
  ];
  const unroll = numberOf(values, 'UNROLL');
  const tm = numberOf(values, 'TM');
  const tn = numberOf(values, 'TN');
  const warpRows = lanesDown * tm;
  const warpCols = lanesAcross * tn;
  const warpsAcross = bn / warpCols;
  const warps = (bm / warpRows) * warpsAcross;
  const bits = LANE_BITS[lanesDown] ?? '';
  return {
    lanesDown,
    lanesAcross,
    bits,
    bm,
    bn,
    bk,
    unroll,
    tm,
    tn,
    warpRows,
    warpCols,
    warpsAcross,
    warps,
  };
}

export function warpLayout(values: TunableValues): TileLayout {
  const { lanesDown, lanesAcross, bits, bm, bn, bk, unroll, tm, tn, warpRows, warpCols, ...warp } =
    sizesOf(values);
  const lane = `thread % ${WARP}`;
  const warpIndex = `thread / ${WARP}`;
  return {
    threads: WARP * warp.warps,
    bm,
    bn,
    bk,
    unroll,
    fma: values.MULADD === 'fma',
    swizzled: values.A_TILE === 'swizzled',
    spread: values.LOADS === 'spread',
    bounded: values.TILE_LOOP === 'bounded',
    rowGroups: tm / 4,
    rowStride: 4 * lanesDown,
    colGroups: tn / 4,
    colStride: 4 * lanesAcross,
    row4: `${warpIndex} / ${warp.warpsAcross} * ${warpRows / 4} + ${gathered(lane, bits, 'r')}`,
    col4: `${warpIndex} % ${warp.warpsAcross} * ${warpCols / 4} + ${gathered(lane, bits, 'c')}`,
  };
}

/** WGSL that packs the bits of `value` marked `kind` side by side. */
function gathered(value: string, bits: string, kind: string): string {
  const positions = [...bits].flatMap((bit, position) => (bit === kind ? [position] : []));
  return positions
    .map((position, to) => `${value} / ${2 ** position} % 2 * ${2 ** to}`)
    .join(' + ');
}

export const size = (name: string, about: string, values: readonly number[], initial: number) => ({
  name,
  about,
  values,
  default: initial,
});

const constraint = (
  reason: string,
  holds: (sizes: ReturnType<typeof sizesOf>) => boolean,
): Constraint => ({ reason, holds: (values) => holds(sizesOf(values)) });

/** Tunables of the kernels whose warps tile C, in the order of their addresses. */
export const WARP_TUNABLES: readonly Tunable[] = [
  size('BM', 'Rows of C a workgroup computes', [32, 64, 128, 256], 128),
  size('BN', 'Columns of C a workgroup computes', [32, 64, 128, 256], 128),
  size('BK', 'Steps of K staged at a time', [8, 16, 32], 16),
  size('TM', 'Rows of C a thread computes, in groups of 4', [4, 8, 16], 8),
  size('TN', 'Columns of C a thread computes, in groups of 4', [4, 8, 16], 16),
  size('UNROLL', 'Steps of K written out; a loop runs over the rest of BK', [1, 4, 8, 16], 4),
  size(
    'LANES_DOWN',
    'Rows of threads in a warp of 32; the warp computes TM x TN times its threads',
    [2, 4, 8, 16],
    8,
  ),
];

export const MULADD: Tunable = {
  name: 'MULADD',
  about: 'How a product is added: a * b + c, which compilers contract, or fma',
  values: ['mul-add', 'fma'],
  default: 'mul-add',
};

/** How the tiles are staged: each a way to spend fewer instructions or registers on it. */
export const STAGING_TUNABLES: readonly Tunable[] = [
  {
    name: 'A_TILE',
    about: 'Bank conflicts of the tile of A avoided by a padded row or by permuted columns',
    values: ['padded', 'swizzled'],
    default: 'padded',
  },
  {
    name: 'LOADS',
    about: "The next tile's loads: all before the first step, or spread over the steps",
    values: ['ahead', 'spread'],
    default: 'ahead',
  },
  {
    name: 'TILE_LOOP',
    about: 'The loop over tiles ends at K, or at a constant so that browsers add no counter to it',
    values: ['to-k', 'bounded'],
    default: 'to-k',
  },
];

export const WARP_CONSTRAINTS: readonly Constraint[] = [
  constraint('UNROLL must divide BK', ({ bk, unroll }) => bk % unroll === 0),
  constraint(
    'BM must be a multiple of TM times the lanes down, so that whole warps cover it',
    ({ bm, warpRows }) => bm % warpRows === 0,
  ),
  constraint(
    'BN must be a multiple of TN times the lanes across, so that whole warps cover it',
    ({ bn, warpCols }) => bn % warpCols === 0,
  ),
  constraint(
    'TM x TN must be at most 128: more sums than that and they spill out of the registers',
    ({ tm, tn }) => tm * tn <= 128,
  ),
  constraint(
    'BM x BK must be a multiple of 16 for each thread, which stages 4 x 4 blocks of A',
    ({ bm, bk, warps }) => warps < 1 || (bm * bk) % (16 * WARP * warps) === 0,
  ),
  constraint(
    'BN x BK must be a multiple of 4 for each thread, which stages vec4s of B',
    ({ bn, bk, warps }) => warps < 1 || (bn * bk) % (4 * WARP * warps) === 0,
  ),
  {
    reason: 'LOADS=spread needs UNROLL = BK: loads are written between the steps',
    holds: (values) => values.LOADS !== 'spread' || values.UNROLL === values.BK,
  },
];

export const WARP_PROBLEM_CONSTRAINTS: readonly ProblemConstraint[] = [
  {
    reason: 'MULADD=fma needs a floating dtype: integers have no fma',
    holds: (values, { dtype }) => values.MULADD !== 'fma' || dtype !== 'i32',
  },
];
