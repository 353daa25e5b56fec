import type { GpuKernel, TunableValues } from '../kernel';
import { numberOf } from '../values';
import { gridOverC } from './grid';
import { matmulShape } from './op';
import { emitTileKernel, tileEntryPoint } from './tile-emitter';
import type { TileLayout } from './tile-layout';
import { tileNeeds } from './tile-memory';

/** Numbers that follow from the tunables. */
function sizesOf(values: TunableValues) {
  const bm = numberOf(values, 'BM');
  const bn = numberOf(values, 'BN');
  const tm = numberOf(values, 'TM');
  const tn = numberOf(values, 'TN');
  const threadsDown = bm / tm;
  const threadsAcross = bn / tn;
  return { bm, bn, bk: numberOf(values, 'BK'), tm, tn, threadsDown, threadsAcross };
}

/**
 * Threads lie over the tile in rows (LANES=across) or in columns. A thread's rows and
 * columns come in groups of four, each group as far from the next as all threads together
 * are long: neighbouring threads read neighbouring vec4s of the tile of B, and all of a row
 * the same of A; or the other way round.
 */
function layoutOf(values: TunableValues): TileLayout {
  const { bm, bn, bk, tm, tn, threadsDown, threadsAcross } = sizesOf(values);
  return {
    threads: threadsDown * threadsAcross,
    bm,
    bn,
    bk,
    unroll: numberOf(values, 'UNROLL'),
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

export const registerTile: GpuKernel = {
  id: 'matmul/register-tile',
  op: 'matmul',
  runsOn: 'gpu',
  rung: 5,
  idea: 'A block of C a thread in registers, vec4 loads, the inner loop unrolled',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    {
      name: 'BM',
      about: 'Rows of C a workgroup computes',
      values: [32, 64, 128],
      default: 64,
    },
    {
      name: 'BN',
      about: 'Columns of C a workgroup computes',
      values: [32, 64, 128],
      default: 64,
    },
    {
      name: 'BK',
      about: 'Steps of K staged at a time',
      values: [8, 16, 32],
      default: 16,
    },
    {
      name: 'TM',
      about: 'Rows of C a thread computes, in groups of 4',
      values: [4, 8],
      default: 8,
    },
    {
      name: 'TN',
      about: 'Columns of C a thread computes, in groups of 4',
      values: [4, 8, 16],
      default: 8,
    },
    {
      name: 'UNROLL',
      about: 'Steps of K written out; a loop runs over the rest of BK',
      values: [1, 4, 16],
      default: 4,
    },
    {
      name: 'LANES',
      about: 'Neighbouring threads lie across the tile of C or down it',
      values: ['across', 'down'],
      default: 'across',
    },
    {
      name: 'BUFFERS',
      about: 'Tiles of A and B held in workgroup memory: with 2 in turn a barrier is saved',
      values: [1, 2],
      default: 1,
    },
  ],
  constraints: [
    {
      reason: 'UNROLL must divide BK',
      holds: (values) => numberOf(values, 'BK') % numberOf(values, 'UNROLL') === 0,
    },
    {
      reason: 'BM x BK must be a multiple of 16 for each thread, which stages 4 x 4 blocks of A',
      holds: (values) => {
        const { bm, bk, threadsDown, threadsAcross } = sizesOf(values);
        return (bm * bk) % (16 * threadsDown * threadsAcross) === 0;
      },
    },
    {
      reason: 'BN x BK must be a multiple of 4 for each thread, which stages vec4s of B',
      holds: (values) => {
        const { bn, bk, threadsDown, threadsAcross } = sizesOf(values);
        return (bn * bk) % (4 * threadsDown * threadsAcross) === 0;
      },
    },
  ],
  wgsl: (values) => emitTileKernel(layoutOf(values)),
  entryPoint: (_values, problem) => tileEntryPoint(matmulShape(problem)),
  needs: (values) => tileNeeds(layoutOf(values)),
  workgroups: (values, problem) => {
    const { bm, bn } = sizesOf(values);
    return gridOverC(values, problem, bm, bn);
  },
};
