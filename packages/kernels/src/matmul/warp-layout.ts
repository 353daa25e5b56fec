import { valuesTable } from '../kernel/combinations';
import {
  type Constraint,
  type ProblemConstraint,
  type TunableValues,
  tunable,
  type ValuesOf,
} from '../kernel/kernel';
import { areBytes, DTYPES } from '../problem/dtype';
import type { Problem } from '../problem/problem';
import { scalesOf } from './memory';
import { MAX_K } from './tile-emitter';
import type { TileLayout } from './tile-layout';
import tiles from './warp-tiles.json';

/** Threads that run in lockstep on NVIDIA and other GPUs. Other sizes are slower, not wrong. */
const WARP = 32;

/**
 * How the bits of a lane's number are assigned to row (r) and column (c), lowest bit first, by
 * LANES_DOWN. They are interleaved so that lanes whose reads are served together need few distinct
 * vec4s of either tile.
 */
const LANE_BITS: Readonly<Record<number, string>> = {
  16: 'crrrr',
  8: 'rrccr',
  4: 'crcrc',
  2: 'ccrcc',
};

/** Tunables of the kernels whose warps tile C, in address order. */
export const WARP_TUNABLES = [
  tunable('BM', 'Rows of C per workgroup', [32, 64, 128, 256], 128),
  tunable('BN', 'Columns of C per workgroup', [32, 64, 128, 256], 128),
  tunable('BK', 'Steps of K staged in workgroup memory at a time', [8, 16, 32], 16),
  tunable('TM', 'Rows of C per thread, in groups of 4', [4, 8, 16], 8),
  tunable('TN', 'Columns of C per thread, in groups of 4', [4, 8, 16], 16),
  tunable('UNROLL', 'Steps of K per iteration of the loop over BK', [1, 4, 8, 16], 4),
  tunable(
    'LANES_DOWN',
    'Rows of threads in a warp of 32; the warp computes TM × TN times its threads',
    [2, 4, 8, 16],
    8,
  ),
] as const;

export const MULADD = tunable(
  'MULADD',
  'How a product is added: a * b + c, which compilers may contract, or fma(a, b, c)',
  ['mul-add', 'fma'],
  'mul-add',
);

/** How tiles are staged: each option can save instructions or registers. */
export const STAGING_TUNABLES = [
  tunable(
    'A_TILE',
    "How A's tile avoids bank conflicts: padded rows or permuted columns",
    ['padded', 'swizzled'],
    'padded',
  ),
  tunable(
    'LOADS',
    'When the next tile is loaded: all before the first step, or spread over the steps',
    ['ahead', 'spread'],
    'ahead',
  ),
  tunable(
    'TILE_LOOP',
    'The loop over tiles ends at K, or at a constant, which spares the loop counter that browsers add',
    ['to-k', 'bounded'],
    'to-k',
  ),
] as const;

/** Values that determine the layout of warps. */
export type WarpValues = ValuesOf<
  readonly [...typeof WARP_TUNABLES, typeof MULADD, ...typeof STAGING_TUNABLES]
>;

/** Sizes derived from the tunables. */
function sizesOf(values: WarpValues) {
  const lanesDown = values.LANES_DOWN;
  const lanesAcross = WARP / lanesDown;
  const { BM: bm, BN: bn, BK: bk, TM: tm, TN: tn, UNROLL: unroll } = values;
  const warpRows = lanesDown * tm;
  const warpCols = lanesAcross * tn;
  const warpsAcross = bn / warpCols;
  const warps = (bm / warpRows) * warpsAcross;
  return {
    ...{ lanesDown, lanesAcross, bm, bn, bk, unroll, tm, tn },
    ...{ warpRows, warpCols, warpsAcross, warps },
  };
}

export function warpLayout(values: WarpValues): TileLayout {
  const { lanesDown, lanesAcross, bm, bn, bk, unroll, tm, tn, warpRows, warpCols, ...warp } =
    sizesOf(values);
  const bits = LANE_BITS[lanesDown] ?? '';
  const lane = `thread % ${WARP}`;
  const warpIndex = `thread / ${WARP}`;
  return {
    ...{ threads: WARP * warp.warps, bm, bn, bk, unroll },
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

/** WGSL that packs the bits of `value` marked `kind` next to each other. */
function gathered(value: string, bits: string, kind: string): string {
  const positions = [...bits].flatMap((bit, position) => (bit === kind ? [position] : []));
  return positions
    .map((position, to) => `${value} / ${2 ** position} % 2 * ${2 ** to}`)
    .join(' + ');
}

const constraint = (
  reason: string,
  holds: (sizes: ReturnType<typeof sizesOf>) => boolean,
): Constraint<WarpValues> => ({ reason, holds: (values) => holds(sizesOf(values)) });

export const WARP_CONSTRAINTS: readonly Constraint<WarpValues>[] = [
  constraint('UNROLL must divide BK', ({ bk, unroll }) => bk % unroll === 0),
  constraint(
    'BM must be a multiple of TM × LANES_DOWN, so that whole warps cover it',
    ({ bm, warpRows }) => bm % warpRows === 0,
  ),
  constraint(
    'BN must be a multiple of TN × 32 / LANES_DOWN, so that whole warps cover it',
    ({ bn, warpCols }) => bn % warpCols === 0,
  ),
  constraint(
    'TM × TN must be at most 128: more sums would not fit in registers',
    ({ tm, tn }) => tm * tn <= 128,
  ),
  constraint(
    'BM × BK must be a multiple of 16 × threads: each thread stages 4 × 4 blocks of A',
    ({ bm, bk, warps }) => warps < 1 || (bm * bk) % (16 * WARP * warps) === 0,
  ),
  constraint(
    'BN × BK must be a multiple of 4 × threads: each thread stages vec4s of B',
    ({ bn, bk, warps }) => warps < 1 || (bn * bk) % (4 * WARP * warps) === 0,
  ),
  {
    reason: 'LOADS=spread needs UNROLL = BK: the loads go between unrolled steps',
    holds: (values) => values.LOADS !== 'spread' || values.UNROLL === values.BK,
  },
];

export const WARP_PROBLEM_CONSTRAINTS: readonly ProblemConstraint<WarpValues>[] = [
  {
    reason: 'MULADD=fma needs a floating-point dtype: integers have no fma',
    holds: (values, { dtype }) =>
      values.MULADD !== 'fma' || !(DTYPES[dtype].isInteger || areBytes(dtype)),
  },
  {
    reason: `TILE_LOOP=bounded ends at K = ${MAX_K}`,
    holds: ({ TILE_LOOP }, { shape }) =>
      TILE_LOOP !== 'bounded' || !('k' in shape) || shape.k <= MAX_K,
  },
];

/** Tiles that searches found to win somewhere. */
export const WARP_TILES = valuesTable(tiles);

/** Halves are multiplied by fragments; for devices without them, the tile that suits most shapes. */
const HALF_TILES = WARP_TILES.filter(({ BM, BN }) => BM === 64 && BN === 64);

/** Sums of blocks of bytes are kept twice, as integers of a block and as floats. */
const SMALL_TILES = WARP_TILES.filter(({ TM, TN }) => Number(TM) * Number(TN) <= 64);

/** The tiles worth trying: strips are thinner. */
export const warpTilesFor = (problem: Problem<'matmul'>): readonly TunableValues[] => {
  const { dtype, shape } = problem;
  if (Math.min(shape.m, shape.n) < 6) return [];
  if (areBytes(dtype) && scalesOf(dtype)) return SMALL_TILES;
  return DTYPES[dtype].element === 'f16' ? HALF_TILES : WARP_TILES;
};

/** Whether tiles are worth trying: strips are thinner, and halves are multiplied by fragments. */
export const isForTiles = ({ dtype, shape: { m, n } }: Problem<'matmul'>): boolean =>
  DTYPES[dtype].element !== 'f16' && Math.min(m, n) >= 6;
