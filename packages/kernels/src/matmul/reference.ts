import type { Order } from '../dtype';
import type { Tensor } from '../scalar';
import type { ElementsInF64, InputLine } from '../verify/verification';
import type { MatmulShape } from './op';

/**
 * One row of C = A B in f64, summed in order of p. Products of two f32 are exact in f64, so the
 * sum's error is about K 2^-53: negligible beside the bounds.
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
  // Four steps per pass, still added in order: each sum is read and written a quarter as often.
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
  for (; p < k; p++) addStep(out, a[at + p] as number, b, p * n);
  return out;
}

type Four = readonly [number, number, number, number];

/** Elements between neighbouring columns of B in memory, and between the steps of one. */
export const columnsOfB = ({ n, k }: MatmulShape, order: Order | undefined) =>
  order === 'transposed' ? { pitch: k, step: 1 } : { pitch: 1, step: n };

/** Where some rows and columns of a batch's products meet, in f64, with |a||b| of each. */
export function someElements(
  shape: MatmulShape,
  line: InputLine,
  rows: readonly number[],
  cols: readonly number[],
  [, order]: readonly Order[],
): ElementsInF64 {
  const { m, n, k } = shape;
  const { pitch, step } = columnsOfB(shape, order);
  const values = new Float64Array(rows.length * cols.length);
  const scales = new Float64Array(values.length);
  const columns = new Map<number, readonly (readonly [Tensor, number])[]>();
  for (const [i, row] of rows.entries()) {
    const product = Math.floor(row / m);
    if (!columns.has(product)) {
      const column = (col: number) =>
        line(1, { first: product * k * n + col * pitch, step, length: k });
      columns.set(
        product,
        cols.map(column).map((b) => [b, norm(b)] as const),
      );
    }
    const a = line(0, { first: row * k, step: 1, length: k });
    const ofRow = norm(a);
    for (const [j, [b, ofCol]] of (columns.get(product) ?? []).entries()) {
      values[i * cols.length + j] = dot(a, b);
      scales[i * cols.length + j] = ofRow * ofCol;
    }
  }
  return { values, scales };
}

function dot(a: Tensor, b: Tensor): number {
  let sum = 0;
  for (let p = 0; p < a.length; p++) sum += (a[p] as number) * (b[p] as number);
  return sum;
}

const norm = (line: Tensor): number => Math.sqrt(dot(line, line));

/** Some rows of C = A B in f64, three at a time: each element of B is loaded once for three sums. */
export function referenceRows(
  shape: MatmulShape,
  a: Tensor,
  b: Tensor,
  rows: readonly number[],
): readonly Float64Array[] {
  const { n, k } = shape;
  const out = rows.map(() => new Float64Array(n));
  const whole = k - (k % 4);
  const inThrees = rows.length - (rows.length % 3);
  for (let first = 0; first < inThrees; first += 3) {
    const three = rows.slice(first, first + 3);
    const sums = out.slice(first, first + 3) as unknown as ThreeVectors;
    for (let p = 0; p < whole; p += 4) {
      const [f, g, h] = three.map((row) => a.subarray(row * k + p, row * k + p + 4));
      if (f && g && h) addFourSteps(sums, [f, g, h] as unknown as ThreeFours, b, p * n);
    }
    for (const [i, row] of three.entries()) {
      const sum = sums[i];
      for (let p = whole; sum && p < k; p++) addStep(sum, a[row * k + p] as number, b, p * n);
    }
  }
  for (const [i, row] of rows.entries()) {
    if (i >= inThrees) referenceRow(shape, a, b, row, out[i]);
  }
  return out;
}

/** The products of a row-major matrix with vectors, three vectors and two rows at a time. */
export function timesVectors(
  matrix: Tensor,
  rows: number,
  cols: number,
  vectors: readonly Float64Array[],
): readonly Float64Array[] {
  const out = vectors.map(() => new Float64Array(rows));
  const none = new Float64Array(cols);
  for (let row = 0; row < rows; row += 2) {
    // The last of an odd number of rows is its own partner.
    const next = Math.min(row + 1, rows - 1);
    for (let at = 0; at < vectors.length; at += 3) {
      const [x = none, y = none, z = none] = vectors.slice(at, at + 3);
      const sums = dotTwoRows(matrix, row * cols, next * cols, [x, y, z]);
      for (const [vector, [sum, sumOfNext]] of sums.entries()) {
        const product = out[at + vector];
        if (!product) continue;
        product[row] = sum;
        product[next] = sumOfNext;
      }
    }
  }
  return out;
}

// The loops below are separate functions so that V8 compiles each of them once. Inside a loop over
// rows, their compiled code is discarded whenever that loop ends, and they take 1.5 times as long.

/** Dot products of two rows with three vectors: six independent sums. */
function dotTwoRows(
  matrix: Tensor,
  at0: number,
  at1: number,
  [x, y, z]: ThreeVectors,
): readonly (readonly [number, number])[] {
  let x0 = 0;
  let y0 = 0;
  let z0 = 0;
  let x1 = 0;
  let y1 = 0;
  let z1 = 0;
  for (let col = 0; col < x.length; col++) {
    const value0 = matrix[at0 + col] as number;
    const value1 = matrix[at1 + col] as number;
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
  return [
    [x0, x1],
    [y0, y1],
    [z0, z1],
  ];
}

/** Adds four steps of K to three rows of sums, each added in order; `at` is the first of B's rows. */
function addFourSteps([x, y, z]: ThreeVectors, [f, g, h]: ThreeFours, b: Tensor, at: number): void {
  const [f0, f1, f2, f3] = f;
  const [g0, g1, g2, g3] = g;
  const [h0, h1, h2, h3] = h;
  const n = x.length;
  for (let col = 0, b0 = at, b1 = b0 + n, b2 = b1 + n, b3 = b2 + n; col < n; col++) {
    const v0 = b[b0 + col] as number;
    const v1 = b[b1 + col] as number;
    const v2 = b[b2 + col] as number;
    const v3 = b[b3 + col] as number;
    x[col] = (x[col] as number) + f0 * v0 + f1 * v1 + f2 * v2 + f3 * v3;
    y[col] = (y[col] as number) + g0 * v0 + g1 * v1 + g2 * v2 + g3 * v3;
    z[col] = (z[col] as number) + h0 * v0 + h1 * v1 + h2 * v2 + h3 * v3;
  }
}

/** Adds one step of K to a row of sums. */
function addStep(sums: Float64Array, factor: number, b: Tensor, at: number): void {
  for (let col = 0; col < sums.length; col++) {
    sums[col] = (sums[col] as number) + factor * (b[at + col] as number);
  }
}

type ThreeVectors = readonly [Float64Array, Float64Array, Float64Array];
type ThreeFours = readonly [Four, Four, Four];

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
  for (let p = 0; p < k; p++) addSquares(out, b, p * n);
  for (let col = 0; col < n; col++) out[col] = Math.sqrt(out[col] as number);
  return out;
}

/** Adds the squares of a row of B, which starts at `at`, to the sums. */
function addSquares(sums: Float64Array, b: Tensor, at: number): void {
  for (let col = 0; col < sums.length; col++) {
    const value = b[at + col] as number;
    sums[col] = (sums[col] as number) + value * value;
  }
}
