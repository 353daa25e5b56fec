import type { Rounding } from '../../dtype';
import { ceilDiv } from '../../numbers';
import { elements } from '../../op';
import { opOf } from '../../ops';
import type { Problem } from '../../problem';
import { imprecision, type Precision, rmsLimit } from '../../verify/precision';
import type { Verdict } from '../../verify/verification';

/**
 * What a comparison on the device divides its work into, and what its records add up to. A workgroup
 * compares a share of the elements and leaves one record.
 */

/** Fewest elements that a workgroup compares, and most workgroups. */
const LEAST_SHARE = 4_096;
const MOST_SHARES = 4_096;

/** @returns `rows` of one problem of a batch; `length` counts the elements of all */
export function sharesOf(problem: Problem) {
  const { batch, output } = opOf(problem);
  const dims = output(problem.shape);
  const length = elements(dims);
  const rows = dims.rows / batch(problem.shape);
  const share = Math.max(LEAST_SHARE, 256 * ceilDiv(ceilDiv(length, MOST_SHARES), 256));
  return { length, rows, cols: dims.cols, share, groups: ceilDiv(length, share) };
}

/** The bound of an element: in products of norms, in its magnitude, and in itself. */
export function boundOf({ sumRoundoff, sumTolerance, store }: Rounding, growth: number) {
  return {
    tolerance: growth * sumTolerance * sumRoundoff,
    relative: store ? 2 * store.roundoff : 0,
    // Above zero, since an exact error is divided by it.
    absolute: store ? store.subnormal : 1e-30,
  };
}

/** Words of compare-values.wgsl's Record. */
export const RECORD_WORDS = 6;

/** Adds up the records of compare-values.wgsl. */
export function valuesVerdict(
  results: ArrayBuffer,
  precision: Precision,
  { length, share, groups }: { length: number; share: number; groups: number },
):
  | { readonly right: Verdict }
  | { readonly right: null; readonly wrong: Omit<Verdict, 'worst'>; readonly at: number } {
  const isExact = precision.rounding.sumRoundoff === 0;
  const words = new Uint32Array(results);
  const floats = new Float32Array(results);
  let [beyond, infinite, squares, worst, ratio] = [0, 0, 0, 0, -1];
  let reason: string | null = null;
  let imprecise = 0;
  // No closures and no arrays in here: there are thousands of records for each output.
  for (let group = 0; group < groups; group++) {
    const record = RECORD_WORDS * group;
    const ofInfinite = words[record + 1] ?? 0;
    const ofRatio = floats[record + 3] ?? 0;
    const ofSquares = floats[record + 4] ?? 0;
    beyond += words[record] ?? 0;
    infinite += ofInfinite;
    squares += ofSquares;
    if (ofRatio > ratio) {
      ratio = ofRatio;
      worst = words[record + 2] ?? 0;
    }
    const count = Math.min(share, length - group * share) - ofInfinite;
    if (isExact || count === 0) continue;
    const rms = Math.sqrt(ofSquares / count);
    const ideal = Math.sqrt((floats[record + 5] ?? 0) / count);
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
  return { right: null, wrong: verdict, at: worst };
}
