import type { Tensor } from './kernel';

/** An element that is further from the reference than its bound. */
export interface WorstElement {
  readonly row: number;
  readonly col: number;
  /** What was found: a number, or its name where JSON has none (`NaN`, `Infinity`). */
  readonly got: number | string;
  readonly want: number;
  readonly bound: number;
}

export interface Comparison {
  /** Elements looked at. */
  readonly checked: number;
  /** Largest error over its bound; at most 1 passes. Infinity for NaN and for exact mismatches. */
  readonly worstRatio: number;
  /** Null when every element is within its bound. */
  readonly worst: WorstElement | null;
}

/** Adds up comparisons element by element, keeping the worst. */
export class Tally {
  #checked = 0;
  #worstRatio = 0;
  #worst: WorstElement | null = null;

  add(row: number, col: number, got: number, want: number, bound: number): void {
    this.#checked++;
    const error = Math.abs(got - want);
    const ratio = error === 0 ? 0 : error / bound;
    if (ratio <= this.#worstRatio) return;
    // NaN arrives here because it is not <= anything.
    this.#worstRatio = Number.isNaN(ratio) ? Number.POSITIVE_INFINITY : ratio;
    if (!(error <= bound)) {
      this.#worst = { row, col, got: Number.isFinite(got) ? got : String(got), want, bound };
    }
  }

  result(): Comparison {
    return { checked: this.#checked, worstRatio: this.#worstRatio, worst: this.#worst };
  }
}

/** Compares bit for bit; reports the first element that differs. `cols` is the output's row length. */
export function compareBits(output: Tensor, expected: Tensor, cols: number): Comparison {
  const got = bitsOf(output);
  const want = bitsOf(expected);
  for (let at = 0; at < want.length; at++) {
    if (got[at] === want[at]) continue;
    const value = output[at];
    const worst = {
      row: Math.floor(at / cols),
      col: at % cols,
      got: Number.isFinite(value) ? (value as number) : String(value),
      want: expected[at] as number,
      bound: 0,
    };
    return { checked: at + 1, worstRatio: Number.POSITIVE_INFINITY, worst };
  }
  return { checked: want.length, worstRatio: 0, worst: null };
}

function bitsOf(tensor: Tensor): Int32Array {
  return new Int32Array(tensor.buffer, tensor.byteOffset, tensor.length);
}
