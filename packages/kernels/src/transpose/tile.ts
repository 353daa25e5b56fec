import type { Tunable } from '../kernel';
import type { Problem } from '../problem';
import { ceilDiv } from '../values';
import { transposeShape } from './op';

/** Side of the square tile that goes through workgroup memory. */
export const TILE: Tunable = {
  name: 'TILE',
  about: 'Side of the tile, and threads along each side of a workgroup',
  values: [1, 2, 4, 8, 16, 32],
  default: 16,
};

/** Workgroups that cover A in blocks of `rows x cols`, columns along x. */
export function gridOverA(
  problem: Problem,
  rows: number,
  cols: number,
): readonly [number, number, number] {
  const shape = transposeShape(problem);
  return [ceilDiv(shape.cols, cols), ceilDiv(shape.rows, rows), 1];
}
