import type { Tensor } from '../kernel';
import type { MatmulShape } from '../problem';

/**
 * One row of C = A B in f64, added up in order of p. Products of two f32 are
 * exact in f64, so the sum's error is near K 2^-53: nothing beside the bounds.
 */
export function referenceRow(
  { n, k }: MatmulShape,
  a: Tensor,
  b: Tensor,
  row: number,
  out: Float64Array = new Float64Array(n),
): Float64Array {
  out.fill(0);
  for (let p = 0; p < k; p++) {
    const factor = a[row * k + p] as number;
    const start = p * n;
    for (let col = 0; col < n; col++) {
      out[col] = (out[col] as number) + factor * (b[start + col] as number);
    }
  }
  return out;
}

/** One column of C = A B in f64. */
export function referenceColumn(
  { m, n, k }: MatmulShape,
  a: Tensor,
  b: Tensor,
  col: number,
): Float64Array {
  const column = Float64Array.from({ length: k }, (_, p) => b[p * n + col] as number);
  const out = new Float64Array(m);
  for (let row = 0; row < m; row++) {
    const start = row * k;
    let sum = 0;
    for (let p = 0; p < k; p++) sum += (a[start + p] as number) * (column[p] as number);
    out[row] = sum;
  }
  return out;
}

/** C = A B in f64. */
export function referenceMatmul(shape: MatmulShape, a: Tensor, b: Tensor): Float64Array {
  const { m, n } = shape;
  const out = new Float64Array(m * n);
  for (let row = 0; row < m; row++) {
    referenceRow(shape, a, b, row, out.subarray(row * n, (row + 1) * n));
  }
  return out;
}

/** 2-norm of each row of A. */
export function rowNorms({ m, k }: MatmulShape, a: Tensor): Float64Array {
  const out = new Float64Array(m);
  for (let row = 0; row < m; row++) {
    let sum = 0;
    for (let at = row * k; at < (row + 1) * k; at++) sum += (a[at] as number) ** 2;
    out[row] = Math.sqrt(sum);
  }
  return out;
}

/** 2-norm of each column of B. */
export function columnNorms({ n, k }: MatmulShape, b: Tensor): Float64Array {
  const out = new Float64Array(n);
  for (let p = 0; p < k; p++) {
    const start = p * n;
    for (let col = 0; col < n; col++) {
      const value = b[start + col] as number;
      out[col] = (out[col] as number) + value * value;
    }
  }
  return out.map(Math.sqrt);
}
