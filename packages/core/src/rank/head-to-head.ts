import { type Contrast, verdictOn } from '../statistics/verdict';
import { headlineOfRatios, type Interval, type Spread } from './headline';

/** A headline, of which one may be no interval. */
interface Sided extends Interval {
  /** Its ends are the range of too few independent samples for a 95% interval. */
  readonly isRange?: boolean;
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
 * @param known of the device; see `spreadOfRepeats`
 */
export function repeatedDuels(
  duels: readonly Pick<Contrast, 'ratio' | 'low' | 'high'>[],
  known: Spread,
): Contrast {
  const ofTwo = { ...known, relative: Math.SQRT2 * known.relative };
  const { ratio, low, high } = headlineOfRatios(duels, ofTwo);
  return verdictOn(ratio, low, high);
}

/**
 * The contrast of two headlines. A range is not an interval, but it is evidence: where one has it, they
 * are told apart if they lie farther apart than either is wide, and are undecided else.
 */
export function pairContrast({ a, b }: Readonly<Record<'a' | 'b', Sided>>): Contrast {
  const difference = contrast(b, a);
  const isTold = difference.verdict !== 'SAME' && areFarApart(a, b);
  return (a.isRange || b.isRange) && !isTold
    ? { ...difference, verdict: 'UNDECIDED', wouldTake: null }
    : difference;
}

function areFarApart(a: Interval, b: Interval): boolean {
  const gap = Math.log(Math.max(a.lowNs, b.lowNs) / Math.min(a.highNs, b.highNs));
  const width = Math.max(...[a, b].map(({ highNs, lowNs }) => Math.log(highNs / lowNs)));
  return gap > width;
}
