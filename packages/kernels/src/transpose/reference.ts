import type { Tensor } from '../scalar';
import type { TransposeShape } from './op';

/** B = A transposed, in the same type: a transpose does not round. */
export function referenceTranspose({ rows, cols }: TransposeShape, a: Tensor): Tensor {
  const out = a.slice();
  const block = 32;
  // In blocks, so that every cache line read or written is used completely.
  for (let row0 = 0; row0 < rows; row0 += block) {
    for (let col0 = 0; col0 < cols; col0 += block) {
      for (let row = row0; row < Math.min(row0 + block, rows); row++) {
        for (let col = col0; col < Math.min(col0 + block, cols); col++) {
          out[col * rows + row] = a[row * cols + col] as number;
        }
      }
    }
  }
  return out;
}
