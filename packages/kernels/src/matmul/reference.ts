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
  const at = row * k;
  let p = 0;
  // Four steps a pass, still added in order: a sum is read and written a quarter as often.
  for (; p + 4 <= k; p += 4) {
    const [f0, f1, f2, f3] = a.subarray(at + p, at + p + 4) as unknown as Four;
    for (let col = 0, b0 = p * n, b1 = b0 + n, b2 = b1 + n, b3 = b2 + n; col < n; col++) {
      out[col] =
        (out[col] as number) +
        f0 * (b[b0 + col] as number) +
        f1 * (b[b1 + col] as number) +
        f2 * (b[b2 + col] as number) +
        f3 * (b[b3 + col] as number);
    }
  }
  for (; p < k; p++) {
    const factor = a[at + p] as number;
    for (let col = 0; col < n; col++) {
      out[col] = (out[col] as number) + factor * (b[p * n + col] as number);
    }
  }
  return out;
}

type Four = readonly [number, number, number, number];

/** Some columns of C = A B in f64. */
export function referenceColumns(
  { m, n, k }: MatmulShape,
  a: Tensor,
  b: Tensor,
  cols: readonly number[],
): Float64Array[] {
  const columns = cols.map((col) =>
    Float64Array.from({ length: k }, (_, p) => b[p * n + col] as number),
  );
  return timesVectors(a, m, k, columns);
}

/**
 * The products of a row-major matrix with vectors, three vectors and two rows at a time: six
 * sums that do not wait for each other, and five numbers to load for them.
 */
export function timesVectors(
  matrix: Tensor,
  rows: number,
  cols: number,
  vectors: readonly Float64Array[],
): Float64Array[] {
  const out = vectors.map(() => new Float64Array(rows));
  const none = new Float64Array(cols);
  for (let first = 0; first < vectors.length; first += 3) {
    const [x = none, y = none, z = none] = vectors.slice(first, first + 3);
    for (let row = 0; row < rows; row += 2) {
      // An odd last row is its own partner.
      const next = Math.min(row + 1, rows - 1);
      let [x0, y0, z0, x1, y1, z1] = [0, 0, 0, 0, 0, 0];
      for (let col = 0, at0 = row * cols, at1 = next * cols; col < cols; col++, at0++, at1++) {
        const value0 = matrix[at0] as number;
        const value1 = matrix[at1] as number;
        const xc = x[col] as number;
        const yc = y[col] as number;
        const zc = z[col] as number;
        x0 += value0 * xc;
        y0 += value0 * yc;
        z0 += value0 * zc;
        x1 += value1 * xc;
        y1 += value1 * yc;
        z1 += value1 * zc;
      }
      out[first]?.set(row === next ? [x0] : [x0, x1], row);
      out[first + 1]?.set(row === next ? [y0] : [y0, y1], row);
      out[first + 2]?.set(row === next ? [z0] : [z0, z1], row);
    }
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
