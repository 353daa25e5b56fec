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
import { type Interval, provenNs } from './headline';

/**
 * Ranks of headlines of one problem, in the order given: one more than the number of those that
 * are FAST against it. Those that are the same or undecided therefore share a rank, unless a third
 * one separates them. A median that is not known to ±2% ranks no better than those faster than its
 * slow end: otherwise noise would share every rank.
 */
export function ranks(headlines: readonly Interval[]): number[] {
  const ranksBySpeed = headlines.map(
    (headline) =>
      1 + headlines.filter((other) => contrast(other, headline).verdict === 'FAST').length,
  );
  return headlines.map((headline, index) => {
    const ns = provenNs(headline);
    const before = headlines.map((other, at) =>
      provenNs(other) <= ns ? (ranksBySpeed[at] ?? 1) : 1,
    );
    return ns === headline.medianNs ? (ranksBySpeed[index] ?? 1) : Math.max(...before);
  });
}

/** Geometric mean of positive ratios; null for none. */
export function geometricMean(ratios: readonly number[]): number | null {
  if (ratios.length === 0) return null;
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}
