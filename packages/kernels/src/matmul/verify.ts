import { type Comparison, Tally } from '../compare';
import type { Dtype } from '../dtype';
import { freivaldsResiduals } from '../freivalds';
import type { Tensor } from '../kernel';
import type { MatmulProblem, MatmulShape } from '../problem';
import { elementBound, residualBound } from './bound';
import { columnNorms, referenceColumn, referenceRow, rowNorms } from './reference';

/** Multiply-adds of the f64 reference that take about 0.3 s on one core of 2026. */
const WHOLE_LIMIT = 2 ** 27;

/** Whether the O(n^3) reference is quick enough to compare every element. */
export function canCompareWhole({ m, n, k }: MatmulShape): boolean {
  return m * n * k <= WHOLE_LIMIT;
}

/** A product to be checked, with the norms its bounds are made of. */
class Product {
  readonly #aNorms: Float64Array;
  readonly #bNorms: Float64Array;

  constructor(
    readonly shape: MatmulShape,
    /** `i32` for integer-valued inputs of any dtype: their products are exact. */
    readonly dtype: Dtype,
    readonly a: Tensor,
    readonly b: Tensor,
    readonly c: Tensor,
  ) {
    this.#aNorms = rowNorms(shape, a);
    this.#bNorms = columnNorms(shape, b);
  }

  compareRow(row: number, tally: Tally, scratch?: Float64Array): void {
    const want = referenceRow(this.shape, this.a, this.b, row, scratch);
    for (let col = 0; col < this.shape.n; col++)
      this.#compare(row, col, want[col] as number, tally);
  }

  compareColumn(col: number, tally: Tally): void {
    const want = referenceColumn(this.shape, this.a, this.b, col);
    for (let row = 0; row < this.shape.m; row++)
      this.#compare(row, col, want[row] as number, tally);
  }

  /** Rows whose Freivalds residual is above its bound, worst first. */
  suspiciousRows(seed: number): { rows: number[]; worstRatio: number } {
    const { shape, a, b, c } = this;
    const frobenius = Math.sqrt(this.#bNorms.reduce((sum, norm) => sum + norm * norm, 0));
    const residuals = freivaldsResiduals(shape, a, b, c, seed);
    const ratios = residuals.map((residual, row) => {
      const bound = residualBound(this.dtype, this.#aNorms[row] ?? 0, frobenius, shape.k);
      return residual === 0 ? 0 : residual / bound;
    });
    const rows = [...ratios.keys()].filter((row) => !((ratios[row] as number) <= 1));
    const rank = (row: number) => {
      const ratio = ratios[row] as number;
      return Number.isNaN(ratio) ? Number.POSITIVE_INFINITY : ratio;
    };
    rows.sort((x, y) => (rank(x) === rank(y) ? x - y : rank(y) - rank(x)));
    return { rows, worstRatio: ratios.reduce((worst, ratio) => Math.max(worst, ratio), 0) };
  }

  #compare(row: number, col: number, want: number, tally: Tally): void {
    const got = this.c[row * this.shape.n + col] ?? Number.NaN;
    const aNorm = this.#aNorms[row] ?? 0;
    const bNorm = this.#bNorms[col] ?? 0;
    tally.add(row, col, got, want, elementBound(this.dtype, aNorm, bNorm, want));
  }
}

/** Compares every element of C with the f64 reference. */
export function compareWhole(
  { shape, dtype }: MatmulProblem,
  a: Tensor,
  b: Tensor,
  c: Tensor,
  exact: boolean,
): Comparison {
  const product = new Product(shape, exact ? 'i32' : dtype, a, b, c);
  const tally = new Tally();
  const scratch = new Float64Array(shape.n);
  for (let row = 0; row < shape.m; row++) product.compareRow(row, tally, scratch);
  return tally.result();
}

/**
 * Checks C without the O(n^3) reference: whole rows and columns where tiles
 * begin and end, then Freivalds over all rows. A row that fails it is compared
 * element by element: that decides, and names the element.
 */
export function compareLarge(
  { shape, dtype }: MatmulProblem,
  a: Tensor,
  b: Tensor,
  c: Tensor,
  exact: boolean,
): Comparison {
  const product = new Product(shape, exact ? 'i32' : dtype, a, b, c);
  const tally = new Tally();
  for (const row of edges(shape.m)) product.compareRow(row, tally);
  for (const col of edges(shape.n)) product.compareColumn(col, tally);
  const sampled = tally.result();
  if (sampled.worst) return sampled;

  const { rows, worstRatio } = product.suspiciousRows(shape.m + shape.n + shape.k);
  for (const row of rows) {
    const suspect = new Tally();
    product.compareRow(row, suspect);
    const result = suspect.result();
    if (result.worst) return { ...result, checked: shape.m };
  }
  // Rows that the exact comparison cleared count as within their bound.
  return {
    checked: shape.m,
    worstRatio: Math.min(1, Math.max(worstRatio, sampled.worstRatio)),
    worst: null,
  };
}

/** First and last indices of the tiles in use (16 to 128 wide), the middle and the end. */
function edges(length: number): number[] {
  const wanted = [0, 15, 16, 63, 64, 127, 128, length >> 1, length - 1];
  return [...new Set(wanted)].filter((index) => index >= 0 && index < length);
}
