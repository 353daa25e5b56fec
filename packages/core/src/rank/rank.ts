/**
 * Ranking: what may be said when results stand side by side. The rules and their reasons are
 * in docs/measure.md; whether a result is ranked at all is decided in measure/trust.ts.
 *
 * - headline.ts      a variant's time on a device: the median of its invocations, with an interval
 * - head-to-head.ts  two headlines: FAST, SLOW, SAME or UNDECIDED
 * - rank.ts          ranks of headlines of one problem, by the same verdict
 * - nearest.ts       which measured problem says most about one that was not measured
 * - portability.ts   which variant to ship to every device
 *
 * Everything here is a function of times; reading them is the store's work.
 */
import { contrast } from './head-to-head';
import { type Interval, placedNs } from './headline';

/**
 * Ranks of headlines of one problem, in the order given: one more than the number of those that
 * are FAST against it, and more than the rank of each of these. Those that are the same or undecided
 * therefore share a rank, unless a third one separates them. A median that is not known to ±2% ranks no
 * better than those faster than its slow end: otherwise noise would share every rank.
 */
export function ranks(headlines: readonly Interval[]): number[] {
  const places = headlines.map(() => 1);
  const placed = headlines.map((interval, at) => ({ interval, at, ns: placedNs(interval) }));
  const before: typeof placed = [];
  // What is FAST against another ends before it begins, and is placed before it.
  for (const one of placed.toSorted((a, b) => a.ns - b.ns)) {
    const faster = placed.filter(
      ({ interval }) => contrast(interval, one.interval).verdict === 'FAST',
    );
    const isKnown = one.ns === one.interval.medianNs;
    const least = isKnown ? [] : before.map(({ at }) => places[at] ?? 1);
    const behind = faster.map(({ at }) => 1 + (places[at] ?? 1));
    places[one.at] = Math.max(1 + faster.length, ...behind, ...least);
    before.push(one);
  }
  return places;
}

/** Geometric mean of positive ratios; null for none. */
export function geometricMean(ratios: readonly number[]): number | null {
  if (ratios.length === 0) return null;
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}
