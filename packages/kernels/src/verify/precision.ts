import type { Rounding } from '../dtype';

/**
 * What is known of the errors of a sum of products, apart from single elements: their root mean
 * square, in roundoffs of the dtype. An error counts relative to the RMS of an element whose row
 * and column have the same norms, |a||b|/sqrt(K) (docs/measure.md).
 */
export interface Precision {
  readonly rounding: Rounding;
  /** Products per sum. */
  readonly terms: number;
  /** See `Kernel.errorGrowth`. */
  readonly growth: number;
}

/** How likely a right output is refused, at most. */
export const FALSE_REFUSALS = 1e-6;

/**
 * The error allowed in a sum of zero-mean products, in unit roundoffs times both norms. A right sum is
 * beyond x of them with a likelihood of e^(-3.8 x), and any of an output's elements may be.
 */
export const sumTolerance = (elements: number): number =>
  Math.max(8, Math.log(elements / FALSE_REFUSALS) / 3.8);

/**
 * What a sum loses, at most, where both operands are rounded to a narrower type first, relative to
 * |a||b|. WGSL lets a device round in either direction (15.7.6, floating-point conversion), so that an
 * operand errs by 2u and a product by (1 + 2u)^2 - 1; the products of magnitudes add up to |a||b| at
 * most (Cauchy-Schwarz). Inputs are drawn where the narrower type has all of its bits.
 */
export const stagedSum = ({ staged = 0 }: Rounding): number => 4 * staged * (1 + staged);

/**
 * A standard deviation, at most, of what a sum loses where denormals are taken for 0: half of each
 * input's values are, of either sign and spread over all magnitudes, times those of the other.
 */
export const flushedSum = ({ flushed = 0 }: Rounding, terms: number): number =>
  (flushed * Math.sqrt(terms)) / 4;

/** Largest half. What is beyond is stored as it or as infinity, from 65,536 on as infinity. */
const MOST_HALF = 65_504;

/** Whether a value is what a sum beyond its element type is rightly stored as: infinity of its sign. */
export const isOverflow = ({ store }: Rounding, got: number, want: number, bound: number) =>
  store !== null &&
  got === Math.sign(want) * Number.POSITIVE_INFINITY &&
  Math.abs(want) + bound >= MOST_HALF;

/** The roundoff of a dtype: that of its coarsest rounding. */
const roundoffOf = ({ staged, store, sumRoundoff }: Rounding): number =>
  store?.roundoff ?? staged ?? sumRoundoff;

/** Below so many terms, a bias rounds more than the sum that it is added to. */
const FEW_TERMS = 16;

/** An error of one roundoff of the dtype, relative to |a||b|. */
export function unitOf({ rounding, terms }: Precision): number {
  return roundoffOf(rounding) / Math.sqrt(terms);
}

/**
 * The largest RMS error of a right output, in roundoffs.
 * - Sums: sequential summation, the worst order, has 0.29 sqrt(K); 0.5 sqrt(K) + 1 is allowed.
 * - One final rounding: a fifth more than `ideal`, the RMS error of the reference so rounded.
 * - Operands rounded first: as their bound, since how their errors add up depends on the inputs; what is
 *   rounded more than it should be fails on inputs whose sums are exact.
 * Few elements scatter: their RMS may be larger.
 */
export function rmsLimit(
  { rounding, terms, growth }: Precision,
  elements: number,
  ideal: number,
): number {
  const { epilogue, flushed = 0, sumRoundoff, store } = rounding;
  // What is lost to flushing is large beside sums of few terms, and so is the rounding of a bias;
  // that of an activation does not grow with them. Bounds of elements allow for each.
  const isBeside = epilogue && (epilogue.relative > 0 || (epilogue.hasBias && terms < FEW_TERMS));
  if (flushed > 0 || isBeside) return Number.POSITIVE_INFINITY;
  const roundoff = roundoffOf(rounding);
  const inRoundoffs = sumRoundoff / roundoff;
  const sums = growth * (0.5 * Math.sqrt(terms) + 1) * inRoundoffs * (1 + 8 / Math.sqrt(elements));
  const rounded = store ? 1.2 * Math.max(ideal, 0.3) * (1 + 4 / Math.sqrt(elements)) : 0;
  const staged = growth * (stagedSum(rounding) / roundoff) * Math.sqrt(terms);
  // Called for thousands of shares of an output, where Math.hypot would take most of the time.
  return Math.sqrt(sums * sums + rounded * rounded) + staged;
}

/** Why an RMS error is too large for the dtype, in words; null if it is not. */
export function imprecision(rms: number, limit: number): string | null {
  if (rms <= limit) return null;
  return `less precise than its dtype: the RMS error is ${rounded(rms)} roundoffs, where rounding gives at most ${rounded(limit)}`;
}

const rounded = (value: number): string =>
  Number(value.toPrecision(3)).toLocaleString('en', { maximumSignificantDigits: 3 });

/** The nearest half, ties to even; finite. */
export function nearestHalf(value: number): number {
  if (Math.abs(value) > MOST_HALF) return Math.sign(value) * MOST_HALF;
  const exponent = value === 0 ? -14 : Math.max(Math.floor(Math.log2(Math.abs(value))), -14);
  const gap = 2 ** (exponent - 10);
  const steps = value / gap;
  const down = Math.floor(steps);
  const over = steps - down;
  const isUp = over > 0.5 || (over === 0.5 && down % 2 !== 0);
  return (isUp ? down + 1 : down) * gap;
}
