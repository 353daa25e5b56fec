import { hash32 } from './inputs';
import type { Tensor } from './kernel';
import { timesVectors } from './matmul/reference';
import type { MatmulShape } from './problem';

/**
 * Freivalds' check of C = A B in O(n^2): for random r in {-1, +1}^n,
 * C r = A (B r) holds if C is right, and fails for a wrong row with probability
 * at least 1/2 (R. Freivalds, 1977). Three vectors leave 1/8 for the most
 * cunning of errors; one wrong element in a row never escapes.
 */
export function freivaldsVectors({ m, n, k }: MatmulShape): Float64Array[] {
  return [0, 1, 2].map((vector) => signs(n, m + n + k + vector));
}

/**
 * For each row of C, the largest |C r - A (B r)| over the vectors r, in f64; NaN where
 * the row holds one.
 */
export function freivaldsResiduals(
  { m, n }: MatmulShape,
  c: Tensor,
  r: readonly Float64Array[],
  abr: readonly Float64Array[],
): Float64Array {
  const cr = timesVectors(c, m, n, r);
  return Float64Array.from({ length: m }, (_, row) =>
    Math.max(...cr.map((vector, v) => Math.abs((vector[row] ?? 0) - (abr[v]?.[row] ?? 0)))),
  );
}

function signs(length: number, seed: number): Float64Array {
  const stream = hash32(seed);
  return Float64Array.from({ length }, (_, i) => (hash32(i + stream) & 1 ? 1 : -1));
}
