import type { Problem } from '@tilemark/kernels';
import { least } from 'd3-array';
import type { Profile } from '../measure/device';
import { type Contrast, MARGIN, MOST_MEASURING, verdictOn } from '../statistics/verdict';
import type { DeviceRef } from '../view/device';
import { headline, type Interval, type Spread } from './headline';

/** What is compared: device keys, or canonical addresses of variants. */
export interface Pair {
  readonly of: 'devices' | 'variants';
  readonly a: string;
  readonly b: string;
}

/** A headline, of which one may be no interval. */
interface Sided extends Interval {
  /** Its ends are the range of too few independent samples for a 95% interval. */
  readonly isRange?: boolean;
}

/** One of two headlines of the same problem and profile. */
export interface PairSide extends Sided {
  /** The result nearest to the headline. */
  readonly resultId: string;
  readonly address: string;
  readonly invocations: number;
  readonly unranked: string | null;
}

/** Two headlines of the same problem and profile; `device` is set when variants are compared. */
export interface HeadToHead {
  readonly problem: Problem;
  readonly profile: Profile;
  readonly device: DeviceRef | null;
  readonly a: PairSide;
  readonly b: PairSide;
}

/**
 * The verdict on `candidate` against `base`, two independent medians, by the interval of their
 * ratio: the distances of the ends from each median, in logarithms, added as squares.
 */
export function contrast(candidate: Interval, base: Interval): Contrast {
  const ratio = base.medianNs / candidate.medianNs;
  const down = Math.hypot(
    Math.log(base.medianNs / base.lowNs),
    Math.log(candidate.highNs / candidate.medianNs),
  );
  const up = Math.hypot(
    Math.log(base.highNs / base.medianNs),
    Math.log(candidate.medianNs / candidate.lowNs),
  );
  return verdictOn(ratio, ratio * Math.exp(-down), ratio * Math.exp(up));
}

/**
 * The verdict on a ratio that several duels found, each between two processes of its own: the
 * interval of their headline, a ratio for a time. Both processes of a duel vary as invocations do.
 *
 * @param known of the device; see `knownSpread`
 */
export function repeatedDuels(
  duels: readonly Pick<Contrast, 'ratio' | 'low' | 'high'>[],
  known: Spread,
): Contrast {
  const intervals = duels.map(({ ratio, low, high }) => ({
    medianNs: ratio,
    lowNs: low,
    highNs: high,
  }));
  const ofTwo = { ...known, relative: Math.SQRT2 * known.relative };
  const { medianNs, lowNs, highNs } = headline(intervals, ofTwo);
  return verdictOn(medianNs, lowNs, highNs);
}

/** The same of two headlines; where one has a range for an interval, nothing is decided. */
export function pairContrast({ a, b }: Readonly<Record<'a' | 'b', Sided>>): Contrast {
  const found = contrast(b, a);
  return a.isRange || b.isRange ? { ...found, verdict: 'UNDECIDED', wouldTake: null } : found;
}

/**
 * Of a device's variants, all ranked or none, the one whose median is the shortest and, by more than the margin,
 * shorter than that of the variant placed first: its wide interval reaches behind it. Null: none.
 */
export function shorterMedian<Of extends Timed>(first: Timed, ranked: readonly Of[]): Of | null {
  const placedBehind = ranked.filter(
    ({ medianNs, provenNs }) =>
      provenNs >= first.provenNs && medianNs * (1 + MARGIN) < first.medianNs,
  );
  return least(placedBehind, ({ medianNs }) => medianNs) ?? null;
}

/** A median with the time it is placed by, ns. */
interface Timed {
  readonly medianNs: number;
  readonly provenNs: number;
}

/** What it would take to decide an undecided pair, as a sentence; null if it is decided. */
export function toDecide({ verdict, wouldTake }: Contrast): string | null {
  if (verdict !== 'UNDECIDED') return null;
  return wouldTake === null
    ? `If the ratio is what it seems, more than ${MOST_MEASURING.toLocaleString('en')} times as many invocations of both would be needed.`
    : `About ${Math.ceil(wouldTake + 0.5)} times as many invocations of both would decide, or a duel.`;
}
