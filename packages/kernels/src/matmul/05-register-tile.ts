import { gpuKernel, tunable, type ValuesOf } from '../kernel/kernel';
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

/**
 * Threads cover the tile row by row (LANES=across) or column by column. A thread's rows and columns
 * come in groups of four; successive groups are four times the number of threads apart, so that
 * neighbouring threads read neighbouring vec4s of B's tile and threads of one row the same vec4 of
 * A's, or the other way round.
 */
function layoutOf(values: Values): TileLayout {
  const { BM: bm, BN: bn, BK: bk, TM, TN, UNROLL: unroll } = values;
  const [threadsDown, threadsAcross] = [bm / TM, bn / TN];
  return {
    ...{ threads: threadsDown * threadsAcross, bm, bn, bk, unroll },
    rowGroups: TM / 4,
    rowStride: 4 * threadsDown,
    colGroups: TN / 4,
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
    { reason: 'UNROLL must divide BK', holds: ({ BK, UNROLL }) => BK % UNROLL === 0 },
    {
      reason: 'BM × BK must be a multiple of 16 × threads: each thread stages 4 × 4 blocks of A',
      holds: (values) => (values.BM * values.BK) % (16 * layoutOf(values).threads) === 0,
    },
    {
      reason: 'BN × BK must be a multiple of 4 × threads: each thread stages vec4s of B',
      holds: (values) => (values.BN * values.BK) % (4 * layoutOf(values).threads) === 0,
    },
  ],
  wgsl: (values, _dtype, { batched, epilogue }) =>
    emitTileKernel({ ...layoutOf(values), batched, epilogue }),
  batches: true,
  entryPoint: (_values, problem) => tileEntryPoint(problem.shape),
  needs: (values) => tileNeeds(layoutOf(values)),
  workgroups: ({ BM, BN }, { shape }) => gridOverC(shape, BM, BN),
});
