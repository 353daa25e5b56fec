import { type Comparison, Tally } from '../compare';
import type { Dtype } from '../dtype';
import { freivaldsCheck } from '../freivalds';
import type { Tensor } from '../kernel';
import type { MatmulShape } from '../problem';
import { anyDataBound, elementBound, residualBound } from './bound';
import { columnNorms, referenceColumns, referenceRow, referenceRows, rowNorms } from './reference';

/** Multiply-adds of the f64 reference that take about 0.3 s on one core of 2026. */
const WHOLE_LIMIT = 2 ** 27;

/** Elements of a whole reference that is worth its memory, 8 bytes each: larger ones have a short K. */
const KEPT_ELEMENTS = 2 ** 20;

/** Whether the O(n^3) reference is quick enough to compare every element. */
export function canCompareWhole({ m, n, k }: MatmulShape): boolean {
  return m * n * k <= WHOLE_LIMIT;
}

/**
 * What a product of two matrices is compared with. What follows from the inputs alone is
 * computed when first asked for and kept: a second product of them costs little.
 */
export class ProductReference {
  readonly #aNorms: Float64Array;
  readonly #bNorms: Float64Array;
  readonly #rows = new Map<number, Float64Array>();
  #edgeRows: readonly Float64Array[] | null = null;
  #edgeColumns: readonly Float64Array[] | null = null;
  #residuals: ((c: Tensor) => Float64Array) | null = null;

  constructor(
    readonly shape: MatmulShape,
    /** `i32` for integer-valued inputs of any dtype: their products are exact. */
    readonly dtype: Dtype,
    readonly a: Tensor,
    readonly b: Tensor,
    /** See `Kernel.errorGrowth`. */
    errorGrowth?: number,
  ) {
    this.#aNorms = rowNorms(shape, a);
    this.#bNorms = columnNorms(shape, b);
    if (errorGrowth !== undefined) {
      this.#aNorms.fill(errorGrowth * largest(this.#aNorms));
      this.#bNorms.fill(largest(this.#bNorms));
    }
  }

  /** Compares every element of C with the f64 reference by the bound that holds for any data. */
  compareAnyData(c: Tensor): Comparison {
    const { shape, dtype, a, b } = this;
    const [aMagnitudes, bMagnitudes] = [a.map(Math.abs), b.map(Math.abs)];
    const tally = new Tally();
    for (let row = 0; row < shape.m; row++) {
      const want = referenceRow(shape, a, b, row);
      const magnitudes = referenceRow(shape, aMagnitudes, bMagnitudes, row);
      for (let col = 0; col < shape.n; col++) {
        const exact = want[col] as number;
        const bound = anyDataBound(dtype, magnitudes[col] as number, shape.k, exact);
        tally.add(row, col, c[row * shape.n + col] ?? Number.NaN, exact, bound);
      }
    }
    return tally.result();
  }

  /** Compares every element of C with the f64 reference. */
  compareWhole(c: Tensor): Comparison {
    const { shape, a, b } = this;
    const tally = new Tally();
    const isSmall = shape.m * shape.n <= KEPT_ELEMENTS;
    for (let row = 0; row < shape.m; row++) {
      const reference = () => referenceRow(shape, a, b, row);
      this.#compareRow(c, row, isSmall ? kept(this.#rows, row, reference) : reference(), tally);
    }
    return tally.result();
  }

  /**
   * Checks C without the O(n^3) reference: whole rows and columns where tiles
   * begin and end, then Freivalds over all rows. A row that fails it is compared
   * element by element: that decides, and names the element.
   */
  compareLarge(c: Tensor): Comparison {
    const { shape, a, b } = this;
    const tally = new Tally();
    const rows = edges(shape.m);
    this.#edgeRows ??= referenceRows(shape, a, b, rows);
    for (const [index, want] of this.#edgeRows.entries()) {
      this.#compareRow(c, rows[index] as number, want, tally);
    }
    const columns = edges(shape.n);
    this.#edgeColumns ??= referenceColumns(shape, a, b, columns);
    for (const [index, want] of this.#edgeColumns.entries()) {
      const col = columns[index] as number;
      for (let row = 0; row < shape.m; row++) {
        this.#compare(c, row, col, want[row] as number, tally);
      }
    }
    const sampled = tally.result();
    if (sampled.worst) return sampled;

    const { suspects, worstRatio } = this.#suspiciousRows(c);
    for (const row of suspects) {
      const suspect = new Tally();
      this.#compareRow(c, row, referenceRow(shape, a, b, row), suspect);
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

  /** Rows whose Freivalds residual is above its bound, worst first. */
  #suspiciousRows(c: Tensor): { suspects: number[]; worstRatio: number } {
    const { shape, a, b } = this;
    const frobenius = Math.sqrt(this.#bNorms.reduce((sum, norm) => sum + norm * norm, 0));
    this.#residuals ??= freivaldsCheck(shape, a, b, shape.m + shape.n + shape.k);
    const ratios = this.#residuals(c).map((residual, row) => {
      const bound = residualBound(this.dtype, this.#aNorms[row] ?? 0, frobenius, shape.k);
      return residual === 0 ? 0 : residual / bound;
    });
    const suspects = [...ratios.keys()].filter((row) => !((ratios[row] as number) <= 1));
    const rank = (row: number) => {
      const ratio = ratios[row] as number;
      return Number.isNaN(ratio) ? Number.POSITIVE_INFINITY : ratio;
    };
    suspects.sort((x, y) => (rank(x) === rank(y) ? x - y : rank(y) - rank(x)));
    return { suspects, worstRatio: ratios.reduce((worst, ratio) => Math.max(worst, ratio), 0) };
  }

  #compareRow(c: Tensor, row: number, want: Float64Array, tally: Tally): void {
    for (let col = 0; col < this.shape.n; col++) {
      this.#compare(c, row, col, want[col] as number, tally);
    }
  }

  #compare(c: Tensor, row: number, col: number, want: number, tally: Tally): void {
    const got = c[row * this.shape.n + col] ?? Number.NaN;
    const aNorm = this.#aNorms[row] ?? 0;
    const bNorm = this.#bNorms[col] ?? 0;
    tally.add(row, col, got, want, elementBound(this.dtype, aNorm, bNorm, want));
  }
}

const largest = (norms: Float64Array) => norms.reduce((most, norm) => Math.max(most, norm), 0);

/** The value of a key, made when it is first asked for. */
function kept<V>(values: Map<number, V>, key: number, make: () => V): V {
  const value = values.get(key) ?? make();
  values.set(key, value);
  return value;
}

/** First and last indices of the tiles in use (16 to 128 wide), the middle and the end. */
function edges(length: number): number[] {
  const wanted = [0, 15, 16, 63, 64, 127, 128, length >> 1, length - 1];
  return [...new Set(wanted)].filter((index) => index >= 0 && index < length);
}
