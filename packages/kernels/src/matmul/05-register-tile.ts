import { gpuKernel, tunable, type ValuesOf } from '../kernel';
import { gridOverC } from './grid';
import { emitTileKernel, tileEntryPoint } from './tile-emitter';
import type { TileLayout } from './tile-layout';
import { tileNeeds } from './tile-memory';

const TUNABLES = [
  tunable('BM', 'Rows of C per workgroup', [32, 64, 128], 64),
  tunable('BN', 'Columns of C per workgroup', [32, 64, 128], 64),
  tunable('BK', 'Steps of K staged in workgroup memory at a time', [8, 16, 32], 16),
  tunable('TM', 'Rows of C per thread, in groups of 4', [4, 8], 8),
  tunable('TN', 'Columns of C per thread, in groups of 4', [4, 8, 16], 8),
  tunable('UNROLL', 'Steps of K per iteration of the loop over BK', [1, 4, 16], 4),
  tunable(
    'LANES',
    'Neighbouring threads run across the tile of C or down it',
    ['across', 'down'],
    'across',
  ),
  tunable(
    'BUFFERS',
    'Tiles of A and B in workgroup memory: alternating between 2 saves a barrier',
    [1, 2],
    1,
  ),
] as const;

type Values = ValuesOf<typeof TUNABLES>;

/** Sizes derived from the tunables. */
function sizesOf(values: Values) {
  const bm = values.BM;
  const bn = values.BN;
  const tm = values.TM;
  const tn = values.TN;
  const threadsDown = bm / tm;
  const threadsAcross = bn / tn;
  return { bm, bn, bk: values.BK, tm, tn, threadsDown, threadsAcross };
}

/**
 * Threads cover the tile row by row (LANES=across) or column by column. A thread's rows and columns
 * come in groups of four; successive groups are four times the number of threads apart, so that
 * neighbouring threads read neighbouring vec4s of B's tile and threads of one row the same vec4 of
 * A's, or the other way round.
 */
function layoutOf(values: Values): TileLayout {
  const { bm, bn, bk, tm, tn, threadsDown, threadsAcross } = sizesOf(values);
  return {
    threads: threadsDown * threadsAcross,
    bm,
    bn,
    bk,
    unroll: values.UNROLL,
    rowGroups: tm / 4,
    rowStride: 4 * threadsDown,
    colGroups: tn / 4,
    colStride: 4 * threadsAcross,
    doubled: values.BUFFERS === 2,
    ...(values.LANES === 'down'
      ? { row4: `thread % ${threadsDown}`, col4: `thread / ${threadsDown}` }
      : { row4: `thread / ${threadsAcross}`, col4: `thread % ${threadsAcross}` }),
  };
}

export const registerTile = gpuKernel({
  id: 'matmul/register-tile',
  op: 'matmul',
  rung: 5,
  changes: 'matmul/tiled-wpt',
  idea: 'A block of C per thread in registers, vec4 loads, an unrolled inner loop',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: TUNABLES,
  constraints: [
    {
      reason: 'UNROLL must divide BK',
      holds: (values) => values.BK % values.UNROLL === 0,
    },
    {
      reason: 'BM × BK must be a multiple of 16 × threads: each thread stages 4 × 4 blocks of A',
      holds: (values) => {
        const { bm, bk, threadsDown, threadsAcross } = sizesOf(values);
        return (bm * bk) % (16 * threadsDown * threadsAcross) === 0;
      },
    },
    {
      reason: 'BN × BK must be a multiple of 4 × threads: each thread stages vec4s of B',
      holds: (values) => {
        const { bn, bk, threadsDown, threadsAcross } = sizesOf(values);
        return (bn * bk) % (4 * threadsDown * threadsAcross) === 0;
      },
    },
  ],
  wgsl: (values, _dtype, { batched }) => emitTileKernel({ ...layoutOf(values), batched }),
  batches: true,
  entryPoint: (_values, problem) => tileEntryPoint(problem.shape),
  needs: (values) => tileNeeds(layoutOf(values)),
  workgroups: (values, problem) => {
    const { bm, bn } = sizesOf(values);
    return gridOverC(problem.shape, bm, bn);
  },
});
