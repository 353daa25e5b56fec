/**
 * A quote: what one source says of the time of a variant on a problem. A ranked result, the winner of
 * a search, a screened time, a duel (which puts two screened times as far apart as it found them) and
 * a prediction differ in their error alone, so one rule chooses among them: evidence from like shapes
 * before that from unlike ones, then the least time at the slow end of its error.
 */
import { ascending } from 'd3-array';
import { LIKE_SHAPE } from '../rank/nearest';

export interface Quote {
  readonly ns: number;
  /** Standard deviation, relative: how far the time may be off. */
  readonly error: number;
}

/** A quote and how far the shape that it rests on is from the asked one (`shapeDistance`). */
export interface PlacedQuote extends Quote {
  readonly distance: number;
}

/**
 * The mean of a time whose logarithm is normally distributed, with the quoted time as its median: it
 * orders quotes of one source, so that of two that say the same the one that is known better wins.
 */
export const expectedNs = ({ ns, error }: Quote): number => ns * Math.exp(error ** 2 / 2);

/**
 * Two standard deviations above what is quoted: it orders quotes of several sources, of which the
 * one whose error helped most would win by its mean.
 */
export const slowEndNs = ({ ns, error }: Quote): number => ns * (1 + 2 * error);

/** Negative where the first of two quotes comes first; errors say little of times from unlike shapes. */
export function byQuote(a: PlacedQuote, b: PlacedQuote): number {
  const isLike = Math.max(a.distance, b.distance) <= LIKE_SHAPE;
  return isLike ? ascending(slowEndNs(a), slowEndNs(b)) : ascending(a.distance, b.distance);
}
