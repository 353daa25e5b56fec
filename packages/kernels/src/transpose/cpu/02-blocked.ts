import type { HostKernel, Rows, Tensor, Tunable } from '../../kernel';
import type { TransposeShape } from '../../problem';
import { numberOf } from '../../values';
import { transposeShape } from '../op';

export const BLOCK: Tunable = {
  name: 'BLOCK',
  about: 'Side of the blocks whose lines are to stay in the cache on both sides',
  values: [8, 16, 32, 64],
  default: 32,
};

/** Blocks small enough that a line read and a line written are each used whole. */
export const cpuBlocked: HostKernel = {
  id: 'transpose/cpu-blocked',
  op: 'transpose',
  runsOn: 'cpu',
  rung: 2,
  idea: 'Cache-blocked loops on the host',
  dtypes: ['f32', 'i32'],
  tunables: [BLOCK],
  constraints: [],
  run: (values, problem, [a], b, rows) => {
    if (!a) throw new TypeError('transpose takes one input');
    transposeRows(transposeShape(problem), numberOf(values, 'BLOCK'), a, b, rows);
  },
};

/** Computes rows of B = A transposed (columns of A), block by block. */
export function transposeRows(
  { rows, cols }: TransposeShape,
  block: number,
  a: Tensor,
  b: Tensor,
  { first, end }: Rows,
): void {
  for (let col0 = first; col0 < end; col0 += block) {
    const colEnd = Math.min(col0 + block, end);
    for (let row0 = 0; row0 < rows; row0 += block) {
      const rowEnd = Math.min(row0 + block, rows);
      for (let col = col0; col < colEnd; col++) {
        for (let row = row0; row < rowEnd; row++) {
          b[col * rows + row] = a[row * cols + col] as number;
        }
      }
    }
  }
}
