import { hash32 } from '../numbers';

/**
 * Freivalds' check of C = A B in O(n^2): for random r in {-1, +1}^n, C r = A (B r) is true if C is
 * right, and false for a wrong row with probability at least 1/2 (R. Freivalds, 1977). With three
 * vectors, the worst case escapes with probability 1/8; a row with one wrong element never does.
 */
export function freivaldsVectors(length: number, seed: number): Float64Array[] {
  return [0, 1, 2].map((vector) => signs(length, seed + vector));
}

/**
 * For each row of C, the largest |C r - A (B r)| over the vectors r, in f64; NaN if the row
 * contains NaN.
 */
export function freivaldsResiduals(
  cr: readonly Float64Array[],
  abr: readonly Float64Array[],
): Float64Array {
  return Float64Array.from(cr[0] ?? [], (_, row) =>
    Math.max(...cr.map((vector, v) => Math.abs((vector[row] ?? 0) - (abr[v]?.[row] ?? 0)))),
  );
}

function signs(length: number, seed: number): Float64Array {
  const stream = hash32(seed);
  return Float64Array.from({ length }, (_, i) => (hash32(i + stream) & 1 ? 1 : -1));
}
