import type { RooflineRecord } from '@tilemark/core';
import { pairs } from 'd3-array';

/**
 * Whether a curve of copies shows by itself that a cache ends at a working set. After its fastest copy
 * it would only fall, so where it rises again, that is noise: the slowest copy up to there must be
 * faster than the fastest beyond it by more than that.
 *
 * @param copies smallest working set first
 */
export function showsCacheEnd(copies: RooflineRecord['copies'], atBytes: number): boolean {
  const rates = copies.map(({ gigabytesPerSecond }) => gigabytesPerSecond);
  const first = rates.indexOf(Math.max(...rates));
  const end = copies.findIndex(({ bytes }) => bytes > atBytes);
  const noise = Math.max(1, ...pairs(rates.slice(first), (a, b) => b / a));
  return Math.min(...rates.slice(first, end)) > noise * Math.max(...rates.slice(end));
}
