import type { Constraint, GpuKernel, TunableValues } from '../kernel';
import { ceilDiv, numberOf } from '../values';
import { gridOverC } from './grid';
import { matmulShape } from './op';
import {
  ADD_THREADS,
  emitTileKernel,
  partBytes,
  type TileLayout,
  tileBytes,
  tileEntryPoint,
} from './tile-emitter';

/** Threads that NVIDIA and others run in lockstep. Nothing breaks where it is another number. */
const WARP = 32;

/** Workgroups of the second pass; each thread strides over the rest of C. */
const MAX_ADD_GROUPS = 4096;

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

function layoutOf(values: TunableValues): TileLayout {
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
    split: numberOf(values, 'SPLIT'),
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

const size = (name: string, about: string, values: readonly number[], initial: number) => ({
  name,
  about,
  values,
  default: initial,
});

const constraint = (
  reason: string,
  holds: (sizes: ReturnType<typeof sizesOf>) => boolean,
): Constraint => ({ reason, holds: (values) => holds(sizesOf(values)) });

export const warpTile: GpuKernel = {
  id: 'matmul/warp-tile',
  op: 'matmul',
  runsOn: 'gpu',
  rung: 6,
  idea: 'Register tiles arranged so that a warp reads few different words of workgroup memory',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
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
    size(
      'SPLIT',
      'Parts of K, each summed by its own workgroups and added up by a second pass; 1: none',
      [1, 2, 4, 8, 16, 32],
      1,
    ),
    {
      name: 'MULADD',
      about: 'How a product is added: a * b + c, which compilers contract, or fma',
      values: ['mul-add', 'fma'],
      default: 'mul-add',
    },
  ],
  constraints: [
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
  ],
  problemConstraints: [
    {
      reason: 'MULADD=fma needs a floating dtype: integers have no fma',
      holds: (values, { dtype }) => values.MULADD !== 'fma' || dtype !== 'i32',
    },
  ],
  wgsl: (values) => emitTileKernel(layoutOf(values)),
  entryPoint: (_values, problem) => tileEntryPoint(matmulShape(problem)),
  needs: (values) => {
    const layout = layoutOf(values);
    return {
      workgroupSize: [layout.threads, 1, 1],
      workgroupBytes: tileBytes(layout),
      features: [],
    };
  },
  workgroups: (values, problem) => {
    const { bm, bn } = sizesOf(values);
    const [x, y] = gridOverC(values, problem, bm, bn);
    return [x, y, numberOf(values, 'SPLIT')];
  },
  followUps: (values, problem) => {
    const { m, n } = matmulShape(problem);
    const groups = Math.min(ceilDiv(m * n, ADD_THREADS), MAX_ADD_GROUPS);
    return numberOf(values, 'SPLIT') > 1
      ? [{ entryPoint: 'add_parts', workgroups: [groups, 1, 1] }]
      : [];
  },
  scratchBytes: (values, problem) => partBytes(numberOf(values, 'SPLIT'), matmulShape(problem)),
};
