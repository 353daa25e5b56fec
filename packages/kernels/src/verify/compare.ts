import type { Tensor } from '../problem/scalar';
import {
  imprecision,
  isOverflow,
  nearestHalf,
  type Precision,
  rmsLimit,
  unitOf,
} from './precision';

/** An element farther from the reference than its bound. */
interface WorstElement {
  readonly row: number;
  readonly col: number;
  /** The value found: a number, or its name where JSON has no number for it (`NaN`, `Infinity`, `-0`). */
  readonly got: number | string;
  readonly want: number | string;
  readonly bound: number;
}

export interface Comparison {
  /** Number of elements checked. */
  readonly checked: number;
  /** Largest ratio of error to bound; passes up to 1. Infinity for NaN and for exact mismatches. */
  readonly worstRatio: number;
  /** Null if the output is right. */
  readonly worst: WorstElement | null;
  /** Elements beyond their bound, NaN and infinities included. */
  readonly beyond: number;
  /** NaN and infinities. */
  readonly infinite: number;
  /** RMS error of the rest in roundoffs of the dtype; 0 for exact comparisons. */
  readonly rms: number;
  /** Why it is wrong although every element is within its bound; null: it is right, or one is not. */
  readonly reason: string | null;
}

/** A value as JSON can have it. */
export const jsonNumber = (value: number): number | string =>
  Object.is(value, -0) ? '-0' : Number.isFinite(value) ? value : String(value);

/** Accumulates element comparisons and keeps the worst. */
export class Tally {
  readonly #precision: Precision | null;
  readonly #unit: number;
  #checked = 0;
  #beyond = 0;
  #infinite = 0;
  #squares = 0;
  #idealSquares = 0;
  #worstRatio = -1;
  #worst: WorstElement | null = null;

  /** @param precision null: the sums are exact */
  constructor(precision: Precision | null = null) {
    this.#precision = precision;
    this.#unit = precision ? unitOf(precision) : 0;
  }

  /** @param scale |a||b| of the element's row and column */
  add(row: number, col: number, got: number, want: number, bound: number, scale = 0): void {
    this.#checked++;
    if (this.#precision && isOverflow(this.#precision.rounding, got, want, bound)) {
      this.#infinite++;
      return;
    }
    const error = Math.abs(got - want);
    const unit = scale * this.#unit;
    if (!Number.isFinite(got)) this.#infinite++;
    else if (unit > 0) {
      this.#squares += (error / unit) ** 2;
      if (this.#precision?.rounding.store) {
        this.#idealSquares += ((nearestHalf(want) - want) / unit) ** 2;
      }
    }
    if (!(error <= bound)) this.#beyond++;
    const ratio = error === 0 ? 0 : error / bound;
    if (ratio <= this.#worstRatio) return;
    // NaN gets here, because it is not <= anything.
    this.#worstRatio = Number.isNaN(ratio) ? Number.POSITIVE_INFINITY : ratio;
    this.#worst = { row, col, got: jsonNumber(got), want, bound };
  }

  /** The element with the largest ratio, right or wrong. */
  worstElement(): WorstElement | null {
    return this.#worst;
  }

  result(): Comparison {
    const finite = this.#checked - this.#infinite;
    const rms = finite > 0 ? Math.sqrt(this.#squares / finite) : 0;
    const ideal = finite > 0 ? Math.sqrt(this.#idealSquares / finite) : 0;
    const reason =
      this.#precision && this.#unit > 0 && this.#beyond === 0 && finite > 0
        ? imprecision(rms, rmsLimit(this.#precision, finite, ideal))
        : null;
    return {
      checked: this.#checked,
      worstRatio: Math.max(this.#worstRatio, 0),
      worst: this.#beyond > 0 || reason !== null ? this.#worst : null,
      beyond: this.#beyond,
      infinite: this.#infinite,
      rms,
      reason,
    };
  }
}

/** Compares bit for bit; reports the first element that differs. `cols` is the output's row length. */
export function compareBits(output: Tensor, expected: Tensor, cols: number): Comparison {
  const got = bitsOf(output);
  const want = bitsOf(expected);
  let first = -1;
  let beyond = 0;
  for (let at = 0; at < want.length; at++) {
    if (got[at] === want[at]) continue;
    if (beyond++ === 0) first = at;
  }
  const worst = beyond > 0 ? elementAt(output, expected, first, cols) : null;
  const worstRatio = worst ? Number.POSITIVE_INFINITY : 0;
  return { checked: want.length, worstRatio, worst, beyond, infinite: 0, rms: 0, reason: null };
}

function elementAt(output: Tensor, expected: Tensor, at: number, cols: number): WorstElement {
  return {
    row: Math.floor(at / cols),
    col: at % cols,
    got: jsonNumber(output[at] ?? Number.NaN),
    want: jsonNumber(expected[at] ?? Number.NaN),
    bound: 0,
  };
}

function bitsOf(tensor: Tensor): Int32Array {
  return new Int32Array(tensor.buffer, tensor.byteOffset, tensor.length);
}
