/**
 * Ranking: what may be said when results stand side by side. The rules and their reasons are
 * in docs/ranking.md; whether a result is ranked at all is decided in measure/trust.ts.
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
import type { Interval } from './headline';

/**
 * Ranks of headlines of one problem, in the order given: one more than the number of those that
 * are FAST against it. Those that are the same or undecided therefore share a rank, unless a third
 * one separates them.
 */
export function ranks(headlines: readonly Interval[]): number[] {
  return headlines.map(
    (own) => 1 + headlines.filter((other) => contrast(other, own).verdict === 'FAST').length,
  );
}

/** Geometric mean of positive ratios; null for none. */
export function geometricMean(ratios: readonly number[]): number | null {
  if (ratios.length === 0) return null;
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}
