import type { Rounding, Tensor } from '../dtype';
import { Tally } from '../verify/compare';
import type { Precision } from '../verify/precision';
import type { MatmulShape } from './op';

/**
 * Largest error allowed in one element of C for zero-mean inputs, given the 2-norms of its row of A
 * and column of B (docs/tolerance.md).
 * - f32 sums: 8 u |a| |b|. Rounding errors of zero-mean sums add up like a random walk, with a
 *   standard deviation of about 0.3 u |a| |b| in sequential order and less in any other.
 * - f16 sums in f32 and rounds the result once, in a direction that the device chooses.
 * - f16 sums (f16acc16): 6 u |a| |b|, 20 standard deviations.
 * - Exact sums: 0.
 */
function elementBound(
  { sumRoundoff, sumTolerance, store }: Rounding,
  aNorm: number,
  bNorm: number,
  want: number,
): number {
  return sumTolerance * sumRoundoff * aNorm * bNorm + storeBound(store, Math.abs(want));
}

/**
 * Standard deviation of one element's rounding error, relative to |a| |b|: 0.41 u for a relative
 * error uniform in [-u, u] of a significand spread over [1, 2).
 */
const DEVIATION = 0.41;

/**
 * Bound of a row's Freivalds residual |C r - A (B r)|_i: six standard deviations of a signed sum of
 * n element errors; sqrt(sum_j |b_j|^2) = |B|_F.
 */
function residualBound(
  { sumRoundoff, store }: Rounding,
  aNorm: number,
  bFrobenius: number,
  k: number,
): number {
  // For zero-mean data, sum_j c_ij^2 is about |a_i|^2 |B|_F^2 / k.
  const rowNorm = (aNorm * bFrobenius) / Math.sqrt(k);
  return 6 * DEVIATION * sumRoundoff * aNorm * bFrobenius + 6 * storeBound(store, rowNorm);
}

/** One rounding to the element type, in either direction; at least the spacing of subnormals. */
function storeBound(store: Rounding['store'], magnitude: number): number {
  return store ? 2 * store.roundoff * magnitude + store.subnormal : 0;
}

/** Error bounds of a product, from the norms of A's rows and B's columns. */
export class NormBounds {
  readonly #shape: MatmulShape;
  readonly #rounding: Rounding;
  readonly #aNorms: Float64Array;
  readonly #bNorms: Float64Array;
  readonly #bFrobenius: number;
  readonly #precision: Precision | null;

  /** @param errorGrowth see `Kernel.errorGrowth` */
  constructor(
    shape: MatmulShape,
    rounding: Rounding,
    aNorms: Float64Array,
    bNorms: Float64Array,
    errorGrowth?: number,
  ) {
    this.#shape = shape;
    this.#rounding = rounding;
    if (errorGrowth === undefined) {
      this.#aNorms = aNorms;
      this.#bNorms = bNorms;
    } else {
      this.#aNorms = new Float64Array(shape.m).fill(errorGrowth * largest(aNorms));
      this.#bNorms = new Float64Array(shape.n).fill(largest(bNorms));
    }
    this.#bFrobenius = Math.sqrt(this.#bNorms.reduce((sum, norm) => sum + norm * norm, 0));
    // The norms have grown already.
    const precision = { rounding, terms: shape.k, growth: 1 };
    this.#precision = rounding.sumRoundoff > 0 ? precision : null;
  }

  /** For comparisons with these bounds. */
  tally(): Tally {
    return new Tally(this.#precision);
  }

  /** Adds the comparison of one element of C. */
  compare(c: Tensor, row: number, col: number, want: number, tally: Tally): void {
    const got = c[row * this.#shape.n + col] ?? Number.NaN;
    const aNorm = this.#aNorms[row] ?? 0;
    const bNorm = this.#bNorms[col] ?? 0;
    const bound = elementBound(this.#rounding, aNorm, bNorm, want);
    tally.add(row, col, got, want, bound, aNorm * bNorm);
  }

  /** Adds the comparison of one row of C. */
  compareRow(c: Tensor, row: number, want: Float64Array, tally: Tally): void {
    for (let col = 0; col < this.#shape.n; col++) {
      this.compare(c, row, col, want[col] as number, tally);
    }
  }

  /** Ratio of a row's Freivalds residual to its bound; passes up to 1. */
  residualRatio(row: number, residual: number): number {
    const aNorm = this.#aNorms[row] ?? 0;
    const bound = residualBound(this.#rounding, aNorm, this.#bFrobenius, this.#shape.k);
    return residual === 0 ? 0 : residual / bound;
  }
}

function largest(norms: Float64Array): number {
  return norms.reduce((most, norm) => Math.max(most, norm), 0);
}
