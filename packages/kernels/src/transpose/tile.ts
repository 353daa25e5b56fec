import { tunable } from '../kernel/kernel';
import { ceilDiv } from '../numbers';
import type { Problem } from '../problem/problem';
import type { TransposeShape } from './op';

/** Side of the square tile in workgroup memory. */
export const TILE = tunable(
  'TILE',
  'Side of the tile, and threads along each side of a workgroup',
  [1, 2, 4, 8, 16, 32],
  16,
);

/** The constraint of threads that move rows of a tile. */
export const ROWS_IN_TILE = {
  reason: 'ROWS must be at most TILE; further threads would have no row to move',
  holds: ({ ROWS, TILE }: { readonly ROWS: number; readonly TILE: number }) => ROWS <= TILE,
};

/** Workgroups that cover A in blocks of `rows x cols`, columns along x. */
export function gridOverA(
  shape: TransposeShape,
  rows: number,
  cols: number,
  /** The side of A along which workgroups are numbered first. */
  order: 'rows-first' | 'cols-first' = 'rows-first',
): readonly [number, number, number] {
  const [across, down] = [ceilDiv(shape.cols, cols), ceilDiv(shape.rows, rows)];
  return order === 'rows-first' ? [across, down, 1] : [down, across, 1];
}

/**
 * Entry point of a kernel that moves vec4s: `main` if every row of A and B starts on a vec4,
 * otherwise `unaligned`, which moves single elements.
 */
export function entryPointByAlignment(_values: unknown, problem: Problem<'transpose'>): string {
  const { rows, cols } = problem.shape;
  return rows % 4 === 0 && cols % 4 === 0 ? 'main' : 'unaligned';
}

/** Tiles of a matrix of few rows or columns: as narrow as it is, and long. */
export function stripsOf({ rows, cols }: TransposeShape) {
  const narrow = (side: number) => 2 ** Math.max(2, Math.ceil(Math.log2(side)));
  return [64, 128, 256].flatMap((long) => [
    ...(rows <= 32 ? [{ TILE_ROWS: narrow(rows), TILE_COLS: long }] : []),
    ...(cols <= 32 ? [{ TILE_ROWS: long, TILE_COLS: narrow(cols) }] : []),
  ]);
}
