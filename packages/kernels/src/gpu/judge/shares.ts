import { ceilDiv, type Rows } from '../../numbers';
import { opOf } from '../../problem/ops';
import type { Problem } from '../../problem/problem';
import { imprecision, type Precision, rmsLimit } from '../../verify/precision';
import type { Verdict } from '../../verify/verification';

/**
 * What a comparison on the device divides its work into, and what its records add up to. A workgroup
 * compares a share of the elements and leaves one record.
 */

/** Fewest elements that a workgroup compares, and most workgroups. */
const LEAST_SHARE = 4_096;
const MOST_SHARES = 4_096;

/**
 * @param part rows of the output, counted through a batch
 * @returns `rows` of one problem of a batch; `length` counts the part's elements, `base` those before it
 */
export function sharesOf(problem: Problem, part: Rows) {
  const { batch, output } = opOf(problem);
  const dims = output(problem.shape);
  const length = (part.end - part.first) * dims.cols;
  const base = part.first * dims.cols;
  const rows = dims.rows / batch(problem.shape);
  const share = Math.max(LEAST_SHARE, 256 * ceilDiv(ceilDiv(length, MOST_SHARES), 256));
  return { length, base, rows, cols: dims.cols, share, groups: ceilDiv(length, share) };
}

/**
 * The parts of an output whose references take at most so many bytes: whole problems of a batch, or
 * rows of one, in multiples of `step`.
 */
export function partsOf(problem: Problem, mostBytes: number, step: number): Rows[] {
  const { batch, output } = opOf(problem);
  const { rows, cols } = output(problem.shape);
  const perProblem = rows / batch(problem.shape);
  const most = Math.floor(mostBytes / (4 * cols));
  const size =
    most >= perProblem
      ? Math.floor(most / perProblem) * perProblem
      : Math.max(Math.floor(most / step) * step, step);
  const parts: Rows[] = [];
  for (let first = 0; first < rows; ) {
    const end = Math.min(
      first + size,
      most >= perProblem ? rows : (Math.floor(first / perProblem) + 1) * perProblem,
    );
    parts.push({ first, end });
    first = end;
  }
  return parts;
}

/** Words of the Record of compare-bits.wgsl, and of compare-values.wgsl. */
export const BITS_RECORD_WORDS = 4;
export const RECORD_WORDS = 9;

/** Adds up the records of compare-values.wgsl. */
export function valuesVerdict(
  results: ArrayBuffer,
  precision: Precision,
  { length, share, groups }: { length: number; share: number; groups: number },
):
  | { readonly right: Verdict }
  | {
      readonly right: null;
      readonly wrong: Omit<Verdict, 'worst'>;
      /** The worst element: counted from the part's first, and its bits in the output. */
      readonly at: number;
      readonly gotBits: number;
      readonly want: number;
      readonly bound: number;
    } {
  const isExact = precision.rounding.sumRoundoff === 0;
  const words = new Uint32Array(results);
  const floats = new Float32Array(results);
  let [beyond, infinite, squares, worst, ratio] = [0, 0, 0, 0, -1];
  let reason: string | null = null;
  let imprecise = 0;
  /** Mean square that any share may have: few need a limit of their own. */
  const least = rmsLimit(precision, share, 0) ** 2;
  // No closures and no arrays in here: there are thousands of records for each output.
  for (let group = 0; group < groups; group++) {
    const record = RECORD_WORDS * group;
    const ofInfinite = words[record + 1] ?? 0;
    const ofRatio = floats[record + 3] ?? 0;
    const ofSquares = floats[record + 7] ?? 0;
    beyond += words[record] ?? 0;
    infinite += ofInfinite;
    squares += ofSquares;
    if (ofRatio > ratio) {
      ratio = ofRatio;
      worst = record;
    }
    const count = Math.min(share, length - group * share) - ofInfinite;
    if (isExact || count === 0 || ofSquares <= least * count) continue;
    const rms = Math.sqrt(ofSquares / count);
    const ideal = Math.sqrt((floats[record + 8] ?? 0) / count);
    const limit = rmsLimit(precision, count, ideal);
    if (rms / limit > Math.max(imprecise, 1)) {
      imprecise = rms / limit;
      reason = imprecision(rms, limit);
    }
  }
  const verdict = {
    method: 'device',
    checked: length,
    beyond,
    infinite,
    rms: isExact ? 0 : Math.sqrt(squares / Math.max(length - infinite, 1)),
    // What a shader says of NaN and infinities.
    worstRatio: ratio > 1e38 ? Number.POSITIVE_INFINITY : Math.max(ratio, 0),
    reason: beyond > 0 ? null : reason,
  } as const;
  if (beyond === 0 && reason === null) return { right: { ...verdict, worst: null } };
  return {
    right: null,
    wrong: verdict,
    at: words[worst + 2] ?? 0,
    gotBits: words[worst + 4] ?? 0,
    want: floats[worst + 5] ?? Number.NaN,
    bound: floats[worst + 6] ?? 0,
  };
}
