import { ascending, deviation, mean, quantileSorted } from 'd3-array';
import type { Series } from './outcome';

/** Chance that the interval of the median holds the true median. */
export const CONFIDENCE = 0.95;

/**
 * Standard deviation (n - 1 in the denominator) over mean; 0 for fewer than two values.
 */
export function coefficientOfVariation(values: readonly number[]): number {
  const average = mean(values);
  return average ? (deviation(values) ?? 0) / average : 0;
}

/**
 * The 0-based rank `l` such that [x_l, x_(n-1-l)] of `n` sorted values holds
 * the true median with at least 95%, whatever the distribution: the number of
 * values under the median is Binomial(n, 1/2). Below six values no such pair
 * exists, and the whole range is given (`n = 5`: 93.75%).
 *
 * Source: Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2.
 */
export function medianIntervalRank(n: number): number {
  const tail = (1 - CONFIDENCE) / 2;
  // In logarithms, because 2^-n underflows at n = 1075.
  let logTerm = -n * Math.LN2;
  let below = 0;
  let rank = 0;
  for (let k = 0; 2 * k < n; k++) {
    below += Math.exp(logTerm); // P(X <= k): the chance that x_k lies above the median.
    if (below > tail) break;
    rank = k;
    logTerm += Math.log((n - k) / (k + 1));
  }
  return rank;
}

/** Median and its 95% interval, of values in ascending order. Throws `RangeError` for none. */
export function medianInterval(sorted: number[]): {
  median: number;
  low: number;
  high: number;
} {
  const rank = medianIntervalRank(sorted.length);
  const low = sorted[rank];
  const high = sorted[sorted.length - 1 - rank];
  const median = quantileSorted(sorted, 0.5);
  if (low === undefined || high === undefined || median === undefined) {
    throw new RangeError('the median of no values');
  }
  return { median, low, high };
}

/**
 * Order statistics of a series of times per dispatch, ns. Quartiles
 * interpolate between neighbours (R's type 7). Throws `RangeError` for no samples.
 */
export function summarise(samplesNs: readonly number[]): Series {
  const sorted = [...samplesNs].sort(ascending);
  const { median, low, high } = medianInterval(sorted);
  return {
    n: sorted.length,
    medianNs: median,
    lowNs: low,
    highNs: high,
    minNs: sorted[0] ?? median,
    q1Ns: quantileSorted(sorted, 0.25) ?? median,
    q3Ns: quantileSorted(sorted, 0.75) ?? median,
    cv: coefficientOfVariation(samplesNs),
    samplesNs: [...samplesNs],
  };
}
