import { combinations } from '../kernel/combinations';
import { gpuKernel, tunable } from '../kernel/kernel';
import { DTYPES } from '../problem/dtype';
import wgsl from './07-pitched.wgsl?raw';
import { gridOverA, stripsOf } from './tile';

export const pitched = gpuKernel({
  id: 'transpose/pitched',
  op: 'transpose',
  rung: 7,
  changes: null,
  idea: 'For rows that start anywhere: single elements, neighbours by neighbours, in long runs',
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
      'Columns of A per tile: the length of each run read',
      [4, 8, 16, 32, 64, 128, 256],
      32,
    ),
    tunable(
      'THREADS',
      'Threads per workgroup; each moves TILE_ROWS × TILE_COLS / THREADS elements',
      [128, 256, 512],
      256,
    ),
    tunable(
      'ORDER',
      'Neighbouring workgroups run along a row of A or down a column',
      ['rows-first', 'cols-first'],
      'cols-first',
    ),
  ],
  constraints: [
    {
      reason: 'TILE_ROWS × TILE_COLS must be from THREADS to 32 × THREADS elements',
      holds: ({ TILE_ROWS, TILE_COLS, THREADS }) =>
        TILE_ROWS * TILE_COLS >= THREADS && TILE_ROWS * TILE_COLS <= 32 * THREADS,
    },
    {
      reason:
        'TILE_ROWS and TILE_COLS must be at most THREADS: a step moves whole sides of the tile',
      holds: ({ TILE_ROWS, TILE_COLS, THREADS }) => Math.max(TILE_ROWS, TILE_COLS) <= THREADS,
    },
  ],
  wgsl,
  needs: ({ TILE_ROWS, TILE_COLS, THREADS }, dtype) => ({
    workgroupSize: [THREADS, 1, 1],
    workgroupBytes: TILE_ROWS * (TILE_COLS + 1) * DTYPES[dtype].bytes,
  }),
  workgroups: ({ TILE_ROWS, TILE_COLS, ORDER }, { shape }) =>
    gridOverA(shape, TILE_ROWS, TILE_COLS, ORDER),
  candidates: ({ shape }) => {
    const tiles = combinations({ TILE_ROWS: [32, 64, 128], TILE_COLS: [16, 32, 64] });
    const rest = combinations({ THREADS: [128, 256, 512], ORDER: ['rows-first', 'cols-first'] });
    return [...tiles, ...stripsOf(shape)].flatMap((tile) =>
      rest.map((values) => ({ ...tile, ...values })),
    );
  },
});
