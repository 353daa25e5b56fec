import type { Tensor } from '../kernel';
import type { TransposeShape } from '../problem';

/** B = A transposed, in the same type: a transpose rounds nothing. */
export function referenceTranspose({ rows, cols }: TransposeShape, a: Tensor): Tensor {
  const out = a instanceof Int32Array ? new Int32Array(a.length) : new Float32Array(a.length);
  const block = 32;
  // In blocks, so that a cache line read and a cache line written are each used whole.
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
