import { combinations, valuesTable } from '../kernel/combinations';
import { gpuKernel, tunable } from '../kernel/kernel';
import { DTYPES } from '../problem/dtype';
import tiles from './06-swizzled.json';
import wgsl from './06-swizzled.wgsl?raw';
import { entryPointByAlignment, gridOverA, stripsOf } from './tile';

export const swizzled = gpuKernel({
  id: 'transpose/swizzled',
  op: 'transpose',
  rung: 6,
  idea: '4 × 4 blocks transposed in registers, through a permuted tile without padding',
  dtypes: ['f32', 'i32', 'f16'],
  tunables: [
    tunable(
      'TILE_ROWS',
      'Rows of A per tile: the length of each run written to B',
      [4, 8, 16, 32, 64, 128, 256],
      64,
    ),
    tunable(
      'TILE_COLS',
      'Columns of A per tile: the length of each run read; a workgroup is a quarter as wide',
      [4, 8, 16, 32, 64, 128, 256],
      64,
    ),
    tunable(
      'THREADS_Y',
      'Threads down a workgroup; each moves TILE_ROWS / (4 × THREADS_Y) blocks of 4 × 4',
      [1, 2, 4, 8, 16, 32, 64],
      16,
    ),
    tunable(
      'ORDER',
      'Neighbouring workgroups run along a row of A, a column, a diagonal, or in bands of 8 columns',
      ['rows-first', 'cols-first', 'diagonal', 'bands'],
      'cols-first',
    ),
  ],
  constraints: [
    {
      reason:
        'THREADS_Y must be at most TILE_ROWS / 4; further threads would have no block to move',
      holds: (values) => 4 * values.THREADS_Y <= values.TILE_ROWS,
    },
  ],
  wgsl,
  entryPoint: entryPointByAlignment,
  needs: ({ TILE_ROWS, TILE_COLS, THREADS_Y }, dtype) => ({
    workgroupSize: [TILE_COLS / 4, THREADS_Y, 1],
    workgroupBytes: TILE_ROWS * TILE_COLS * DTYPES[dtype].bytes,
  }),
  workgroups: ({ TILE_ROWS, TILE_COLS, ORDER }, { shape }) =>
    gridOverA(shape, TILE_ROWS, TILE_COLS, ORDER === 'rows-first' ? ORDER : 'cols-first'),
  candidates: ({ shape }) => {
    const strips = stripsOf(shape).map((tile) => ({ ...tile, THREADS_Y: tile.TILE_ROWS / 4 }));
    const orders = combinations({ ORDER: ['rows-first', 'cols-first'] });
    return [...TILES, ...strips].flatMap((tile) => orders.map((order) => ({ ...tile, ...order })));
  },
});

const TILES = valuesTable(tiles);
