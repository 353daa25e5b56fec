import type { Rounding } from '../problem/dtype';
import { NO_EPILOGUE } from '../problem/epilogue';

/**
 * The errors of a sum of products, apart from single elements: their root mean square, in roundoffs of the
 * dtype. An error counts relative to the RMS of an element whose row and column have the same norms,
 * |a||b|/sqrt(K) (docs/measure.md).
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
 * The largest error allowed in an element, for zero-mean inputs: a part of |a||b|, the 2-norms of its row
 * of A and column of B, a part of its magnitude, and so much beside (docs/measure.md).
 * - Sums: 8 u |a| |b|, u of f32 or, for f16acc16, of f16. Rounding errors of zero-mean sums add up like
 *   a random walk, with a standard deviation of about 0.3 u |a| |b| in sequential order and less in
 *   any other.
 * - f16 rounds the result once, in a direction that the device chooses.
 * - A bias, below 1, is one more term; an activation stretches these errors and adds its own (epilogue.ts).
 * - Exact sums: 0.
 */
export function boundOf({ rounding, growth }: Omit<Precision, 'terms'>, elements: number) {
  const { sumRoundoff, store } = rounding;
  const { slope, hasBias, relative, absolute } = rounding.epilogue ?? NO_EPILOGUE;
  const tolerance = slope * sumTolerance(elements);
  const ofBias = hasBias ? tolerance * sumRoundoff : 0;
  return {
    tolerance: growth * tolerance * sumRoundoff,
    relative: (store ? 2 * store.roundoff : 0) + relative,
    absolute: (store ? store.subnormal : 0) + ofBias + absolute,
  };
}

/** Largest half. What is beyond is stored as it or as infinity, from 65,536 on as infinity. */
const MOST_HALF = 65_504;

/** Whether a value is what a sum beyond its element type is rightly stored as: infinity of its sign. */
export const isOverflow = ({ store }: Rounding, got: number, want: number, bound: number) =>
  store !== null &&
  got === Math.sign(want) * Number.POSITIVE_INFINITY &&
  Math.abs(want) + bound >= MOST_HALF;

/** The roundoff of a dtype: that of its coarsest rounding. */
const roundoffOf = ({ store, sumRoundoff }: Rounding): number => store?.roundoff ?? sumRoundoff;

/** An error of one roundoff of the dtype, relative to |a||b|. */
export function unitOf({ rounding, terms }: Precision): number {
  return roundoffOf(rounding) / Math.sqrt(terms);
}

/** Below so many terms, a bias rounds more than the sum that it is added to. */
const FEW_TERMS = 16;

/**
 * The largest RMS error of a right output, in roundoffs.
 * - Sums: sequential summation, the worst order, has 0.29 sqrt(K); 0.5 sqrt(K) + 1 is allowed.
 * - An epilogue: what its steps err by at most, and the rounding of a bias.
 * - One final rounding: a fifth more than `ideal`, the RMS error of the reference so rounded.
 * Few elements scatter: their RMS may be larger.
 */
export function rmsLimit(
  { rounding, terms, growth }: Precision,
  elements: number,
  ideal: number,
): number {
  const { epilogue, sumRoundoff, store } = rounding;
  // The rounding of a bias is large beside sums of few terms, and an activation's error beside small sums
  // that are exact. Bounds of elements allow for each.
  const isBeside =
    epilogue &&
    ((epilogue.relative > 0 && sumRoundoff === 0) || (epilogue.hasBias && terms < FEW_TERMS));
  if (isBeside) return Number.POSITIVE_INFINITY;
  const roundoff = roundoffOf(rounding);
  const ofEpilogue = epilogue ? epilogueLimit(epilogue, terms, roundoff) : 0;
  const inRoundoffs = sumRoundoff / roundoff;
  const sums = growth * (0.5 * Math.sqrt(terms) + 1) * inRoundoffs * (1 + 8 / Math.sqrt(elements));
  const rounded = store ? 1.2 * Math.max(ideal, 0.3) * (1 + 4 / Math.sqrt(elements)) : 0;
  // Called for thousands of shares of an output, where Math.hypot would take most of the time.
  return Math.sqrt(sums * sums + rounded * rounded + ofEpilogue * ofEpilogue);
}

/** The error that an epilogue may add, in roundoffs: sums of fractions deviate by a third of sqrt(K). */
function epilogueLimit(
  { absolute, hasBias, relative }: NonNullable<Rounding['epilogue']>,
  terms: number,
  roundoff: number,
): number {
  return (3 * absolute) / (roundoff * Math.sqrt(terms)) + relative / roundoff + (hasBias ? 2 : 0);
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
