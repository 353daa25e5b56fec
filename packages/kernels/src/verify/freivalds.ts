import { hash32 } from '../numbers';

/** Vectors of a check. */
export const VECTORS = 3;

/**
 * Freivalds' check of C = A B in O(n^2): for random r in {-1, +1}^n, C r = A (B r) is true if C is
 * right, and false for a wrong row with probability at least 1/2 (R. Freivalds, 1977). With three
 * vectors, the worst case escapes with probability 1/8; a row with one wrong element never does.
 * Where sums are exact, r are integers up to 1,024 of either sign, and a wrong row escapes with
 * probability 2048^-3 at most; all sums stay far below 2^53.
 */
export function freivaldsVectors(length: number, seed: number, isExact = false): Float64Array[] {
  const sign = (hash: number) => (hash & 1 ? 1 : -1);
  return Array.from({ length: VECTORS }, (_, vector) => {
    const stream = hash32(seed + vector);
    return Float64Array.from({ length }, (_, i) => {
      const hash = hash32(i + stream);
      return isExact ? sign(hash) * (1 + (hash >>> 22)) : sign(hash);
    });
  });
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
