import { hostKernel, tunable } from '../../kernel/kernel';
import type { Rows } from '../../numbers';
import type { Tensor } from '../../problem/scalar';
import type { TransposeShape } from '../op';

export const BLOCK = tunable(
  'BLOCK',
  'Side of the blocks, whose source and destination lines should fit in the cache',
  [8, 16, 32, 64],
  32,
);

/** Blocks small enough that every cache line read or written is used completely. */
export const cpuBlocked = hostKernel({
  id: 'transpose/cpu-blocked',
  op: 'transpose',
  rung: 2,
  idea: 'Cache-blocked loops on the host',
  dtypes: ['f32', 'i32'],
  tunables: [BLOCK],
  run: (values, problem, [a], b, rows) => {
    if (!a) throw new TypeError('transpose takes one input');
    transposeRows(problem.shape, values.BLOCK, a, b, rows);
  },
});

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
