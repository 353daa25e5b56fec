/**
 * Statistics, which know nothing of devices or kernels:
 * - median.ts         the median of a series with its 95% interval, dependence paid for
 * - summary.ts        the order statistics of a series
 * - interval-name.ts  what the ends beside a median are called
 * - verdict.ts        FAST, SLOW, SAME or UNDECIDED, by the interval of a ratio
 */
import { ascending, deviation, mean, quantileSorted } from 'd3-array';

/** Two-sided 95% of the normal distribution. */
const Z95 = 1.96;

/** Standard deviation (n - 1 in the denominator) over mean; 0 for fewer than two values. */
export function coefficientOfVariation(values: readonly number[]): number {
  const average = mean(values);
  return average ? (deviation(values) ?? 0) / average : 0;
}

/**
 * The two-sided 95% quantile of Student's t, by its expansion in 1/df: within 1% from 3 degrees
 * of freedom on, exact at 1 and 2, between them by powers. Source: Abramowitz and Stegun, 26.7.5.
 */
export function studentQuantile(df: number): number {
  if (df <= 1) return 12.706;
  if (df < 2) return 12.706 * (4.303 / 12.706) ** Math.log2(df);
  if (df < 3) return 4.303 * (3.182 / 4.303) ** (Math.log2(df / 2) / Math.log2(1.5));
  const z = Z95;
  return (
    z +
    (z ** 3 + z) / (4 * df) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * df ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * df ** 3)
  );
}

/** Longer memories than this count as if they ended here; bounds the work of a look. */
const MAX_LAGS = 2000;

/** An estimate below this is what independent values give, too. */
const CHANCE_INFLATION = 1.5;

/**
 * The least estimate that is believed. Independent values scatter to both sides of 1: were all of
 * them raised to it, their intervals would cover 97.4% at n = 50 instead of 96.5%.
 */
const LEAST_INFLATION = 0.7;

/** A series of fewer values knows its first autocorrelation better than the sum of all. */
const SHORT = 200;

/** An autocorrelation is not chance beyond this many of its standard errors. */
const ERRORS_OF_CHANCE = 2;

/** How far the values of a series depend on those before. */
interface Dependence {
  /** Values that are worth one independent one: the variance of their mean over that of `n` independent ones. */
  readonly inflation: number;
  /** Lags over which values are correlated. */
  readonly lags: number;
}

/**
 * Dependence of a series, from its autocorrelations up to where their sums over pairs of lags
 * cease to be positive; the sums may not rise again (C. J. Geyer, Practical Markov chain Monte
 * Carlo, 1992: the initial monotone sequence). In short series the estimate is low; what is added
 * was found by simulation (`npm run bench:statistics`), and it is at least what the first
 * autocorrelation says.
 *
 * @param signs of the values about their median
 */
function dependenceOf(signs: readonly number[]): Dependence {
  const n = signs.length;
  const average = mean(signs) ?? 0;
  const centred = Float64Array.from(signs, (sign) => sign - average);
  const covariance = (lag: number) => {
    let sum = 0;
    for (let i = lag; i < n; i++) sum += (centred[i] ?? 0) * (centred[i - lag] ?? 0);
    return sum / n;
  };
  const variance = covariance(0);
  if (!(variance > 0)) return { inflation: 1, lags: 1 };
  let inflation = -1;
  let last = Number.POSITIVE_INFINITY;
  let lags = 0;
  for (; lags < Math.min(n / 2, MAX_LAGS); lags += 2) {
    const pair = (covariance(lags) + covariance(lags + 1)) / variance;
    if (pair <= 0) break;
    last = Math.min(last, pair);
    inflation += 2 * last;
  }
  const isChance = lags <= 2 || inflation < CHANCE_INFLATION;
  const byLags = isChance
    ? { inflation: Math.max(inflation, LEAST_INFLATION), lags: 1 }
    : { inflation: inflation * (1 + (6 * lags) / n), lags };
  const byFirst = inflationByFirst(covariance(1) / variance, n);
  if (byFirst <= byLags.inflation) return byLags;
  return { inflation: byFirst, lags: Math.max(byLags.lags, Math.ceil(byFirst / 2)) };
}

/**
 * The inflation of signs whose values are normal and keep a part of those before, by the first
 * autocorrelation `r` of the signs; 0 where that may be chance, and in long series. It is corrected for how much too low
 * it is in a short series (M. G. Kendall, 1954); one that then reaches 1 leaves a single
 * independent value. Signs of values correlated by c are correlated by 2/pi asin(c).
 */
function inflationByFirst(r: number, n: number): number {
  if (n >= SHORT || r * Math.sqrt(n) <= ERRORS_OF_CHANCE) return 0;
  const corrected = r + (1 + 3 * r) / n;
  if (corrected >= 1) return n;
  const kept = Math.sin((Math.PI / 2) * corrected);
  let inflation = 1;
  for (let part = kept; part > 1e-3 && inflation < n; part *= kept) {
    inflation += (4 / Math.PI) * Math.asin(part);
  }
  return Math.min(inflation, n);
}

/** A median with its 95% interval. */
export interface MedianInterval {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  /** Number of independent values that would say as much. */
  readonly independent: number;
  /** Degrees of freedom of the dependence, which is itself estimated. */
  readonly df: number;
}

/**
 * Median of a series in the order taken, with its 95% interval, whatever the distribution of the
 * values: the number of independent values below the true median is Binomial(n, 1/2), so the
 * interval lies between the values half of `1.96 sqrt(n)` ranks from the middle (Conover, Practical
 * Nonparametric Statistics, 3rd ed., section 3.2). Where values depend on those before, that number
 * varies more; the dependence of the signs about the median says by how much, and Student's
 * quantile pays for how little a short series knows about it. A series too short for 95%, or whose
 * values hang together from its beginning to its end, is given its whole range. Throws `RangeError` for no values.
 */
export function medianInterval(values: readonly number[]): MedianInterval {
  const n = values.length;
  const sorted = [...values].sort(ascending);
  const median = quantileSorted(sorted, 0.5);
  if (median === undefined) throw new RangeError('the median of no values');
  const { inflation, lags } = dependenceOf(values.map((value) => Math.sign(value - median)));
  const df = n / (lags + 1);
  const ranks = (studentQuantile(df) * Math.sqrt(n * inflation)) / 2;
  const part = n > 1 ? ranks / (n - 1) : 1;
  return {
    median,
    low: quantileSorted(sorted, Math.max(0.5 - part, 0)) ?? median,
    high: quantileSorted(sorted, Math.min(0.5 + part, 1)) ?? median,
    independent: Math.min(n / inflation, n),
    df,
  };
}
