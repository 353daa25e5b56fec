import { hash32 } from './inputs';
import type { Tensor } from './kernel';
import type { MatmulShape } from './problem';

/**
 * Freivalds' check of C = A B in O(n^2): for random r in {-1, +1}^n,
 * C r = A (B r) holds if C is right, and fails for a wrong row with probability
 * at least 1/2 (R. Freivalds, 1977). Three vectors leave 1/8 for the most
 * cunning of errors; one wrong element in a row never escapes.
 *
 * Computes A (B r) at once and returns what any C is checked with: for each row, the
 * largest |C r - A (B r)| over three vectors, in f64; NaN where the row holds one.
 */
export function freivaldsCheck(
  { m, n, k }: MatmulShape,
  a: Tensor,
  b: Tensor,
  seed: number,
): (c: Tensor) => Float64Array {
  const r = [0, 1, 2].map((vector) => signs(n, seed + vector));
  const br = timesVectors(b, k, n, r);
  const abr = timesVectors(a, m, k, br);
  return (c) => {
    const cr = timesVectors(c, m, n, r);
    return Float64Array.from({ length: m }, (_, row) =>
      Math.max(...cr.map((vector, v) => Math.abs((vector[row] ?? 0) - (abr[v]?.[row] ?? 0)))),
    );
  };
}

function signs(length: number, seed: number): Float64Array {
  const stream = hash32(seed);
  return Float64Array.from({ length }, (_, i) => (hash32(i + stream) & 1 ? 1 : -1));
}

/** The product of a row-major matrix with three vectors, in one pass over the matrix. */
function timesVectors(
  matrix: Tensor,
  rows: number,
  cols: number,
  vectors: readonly Float64Array[],
): Float64Array[] {
  const [x, y, z] = vectors;
  if (!x || !y || !z) throw new TypeError('three vectors');
  const out = vectors.map(() => new Float64Array(rows));
  for (let row = 0; row < rows; row++) {
    let xSum = 0;
    let ySum = 0;
    let zSum = 0;
    const start = row * cols;
    for (let col = 0; col < cols; col++) {
      const value = matrix[start + col] as number;
      xSum += value * (x[col] as number);
      ySum += value * (y[col] as number);
      zSum += value * (z[col] as number);
    }
    [xSum, ySum, zSum].forEach((sum, v) => {
      out[v]?.fill(sum, row, row + 1);
    });
  }
  return out;
}
