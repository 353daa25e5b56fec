import { combinations, valuesTable } from '../combinations';
import { DTYPES } from '../dtype';
import { gpuKernel, tunable } from '../kernel';
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
  needs: (values, dtype) => {
    const cols = values.TILE_COLS;
    return {
      workgroupSize: [cols / 4, values.THREADS_Y, 1],
      workgroupBytes: values.TILE_ROWS * cols * DTYPES[dtype].bytes,
    };
  },
  workgroups: (values, problem) => {
    const [x, y] = gridOverA(problem.shape, values.TILE_ROWS, values.TILE_COLS);
    return values.ORDER === 'rows-first' ? [x, y, 1] : [y, x, 1];
  },
  candidates: ({ shape }) => {
    const strips = stripsOf(shape).map((tile) => ({ ...tile, THREADS_Y: tile.TILE_ROWS / 4 }));
    const orders = combinations({ ORDER: ['rows-first', 'cols-first'] });
    return [...TILES, ...strips].flatMap((tile) => orders.map((order) => ({ ...tile, ...order })));
  },
});

const TILES = valuesTable(
  ['TILE_ROWS', 'TILE_COLS', 'THREADS_Y'],
  [
    [64, 64, 16],
    [64, 64, 8],
    [32, 64, 8],
    [64, 32, 16],
    [32, 32, 8],
    [128, 32, 16],
  ],
);
