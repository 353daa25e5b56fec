import type { Rounding } from '../dtype';
import { NO_EPILOGUE } from '../epilogue';
import type { Tensor } from '../scalar';
import { Tally } from '../verify/compare';
import { VECTORS } from '../verify/freivalds';
import {
  FALSE_REFUSALS,
  flushedSum,
  type Precision,
  stagedSum,
  sumTolerance,
} from '../verify/precision';
import type { MatmulShape } from './op';

/**
 * Largest error allowed in one element of C for zero-mean inputs, given the 2-norms of its row of A
 * and column of B (docs/measure.md).
 * - Sums: 8 u |a| |b|, u of f32 or, for f16acc16, of f16. Rounding errors of zero-mean sums add up like
 *   a random walk, with a standard deviation of about 0.3 u |a| |b| in sequential order and less in
 *   any other.
 * - Operands that are rounded first: 4 u |a| |b| more, u of what they are rounded to.
 * - f16 rounds the result once, in a direction that the device chooses.
 * - Denormals that a device takes for 0: as many deviations of what sums lose to that.
 * - A bias, below 1, is one more term; an activation stretches these errors and adds its own (epilogue.ts).
 * - Exact sums: 0.
 */
function elementBound(
  { rounding, terms }: Pick<Precision, 'rounding' | 'terms'>,
  tolerance: number,
  norms: number,
  want: number,
): number {
  const { sumRoundoff, store } = rounding;
  const { slope, hasBias, relative, absolute } = rounding.epilogue ?? NO_EPILOGUE;
  const summed = sumRoundoff * (norms + (hasBias ? 1 : 0)) + flushedSum(rounding, terms);
  const magnitude = Math.abs(want);
  return (
    slope * (tolerance * summed + stagedSum(rounding) * norms) +
    relative * magnitude +
    absolute +
    storeBound(store, magnitude)
  );
}

/**
 * How many deviations a residual of `rows` right rows may have, each with as many vectors of signs as
 * Freivalds' check has. A sum of errors with random signs exceeds t times the root of their squares
 * with a likelihood of 2 e^(-t^2 / 2) at most (Hoeffding): the signs are drawn after the errors, so
 * that this holds for any errors.
 */
export const deviationsOf = (rows: number): number =>
  Math.sqrt(2 * Math.log((2 * VECTORS * rows) / FALSE_REFUSALS));

/**
 * Bound of a row's Freivalds residual |C r - A (B r)|_i. The root of the squares of a row's errors is
 * below u |a| |B|_F: each rounding errs by at most u times a partial sum, and the squares of the
 * partial sums of a row add up to |a|^2 |B|_F^2 at most, on average over columns. Where there are few
 * columns or few steps, the whole is compared (`canCompareWhole`).
 */
function residualBound(
  rounding: Rounding,
  aNorm: number,
  bFrobenius: number,
  { m, n, k }: MatmulShape,
): number {
  const { sumRoundoff, store } = rounding;
  // For zero-mean data, sum_j c_ij^2 is about |a_i|^2 |B|_F^2 / k.
  const rowNorm = (aNorm * bFrobenius) / Math.sqrt(k);
  const stored = store ? 2 * store.roundoff * rowNorm + store.subnormal * Math.sqrt(n) : 0;
  const summed = (sumRoundoff + stagedSum(rounding)) * aNorm * bFrobenius;
  return deviationsOf(m) * (summed + stored);
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
  readonly #tolerance: number;

  /** @param errorGrowth see `Kernel.errorGrowth` */
  constructor(
    shape: MatmulShape,
    rounding: Rounding,
    aNorms: Float64Array,
    bNorms: Float64Array,
    errorGrowth?: number,
  ) {
    this.#shape = shape;
    this.#tolerance = sumTolerance(shape.m * shape.n);
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
    const summed = { rounding: this.#rounding, terms: this.#shape.k };
    const bound = elementBound(summed, this.#tolerance, aNorm * bNorm, want);
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
    const bound = residualBound(this.#rounding, aNorm, this.#bFrobenius, this.#shape);
    return residual === 0 ? 0 : residual / bound;
  }
}

function largest(norms: Float64Array): number {
  return norms.reduce((most, norm) => Math.max(most, norm), 0);
}
