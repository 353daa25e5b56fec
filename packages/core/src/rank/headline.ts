import { ascending, deviation, mean, median, sum } from 'd3-array';
import { type DeviceClass, sharesHost } from '../measure/device';
import { studentQuantile } from '../statistics/median';
import { halfWidth, KNOWN_WIDTH, type Series } from '../statistics/summary';

/** A median time with its 95% interval, ns. */
export type Interval = Pick<Series, 'medianNs' | 'lowNs' | 'highNs'>;

/**
 * The time a headline is placed by, ns: its median if that is known to ±2%, otherwise the slow end
 * of its interval. Noise therefore never earns a place.
 */
export const provenNs = (interval: Interval): number =>
  halfWidth(interval) <= KNOWN_WIDTH ? interval.medianNs : interval.highNs;

/** How much the medians of separate invocations of one variant vary on a device. */
export interface Spread {
  /** Standard deviation, relative. */
  readonly relative: number;
  /** How well that is known: degrees of freedom of Student's t. */
  readonly df: number;
  /** Whether invocations of the device say it, not its class alone. */
  readonly isShown: boolean;
}

/**
 * The spread between invocations of a device that has shown none yet: what is said of its class. Where
 * memory lies, what was compiled and what else the machine does change from one process to the
 * next; 0.1 to 0.5% is common (T. Kalibera and R. Jones, Rigorous benchmarking in reasonable time,
 * 2013), but nothing keeps a machine to it: with a single degree of freedom, equal variants are
 * hardly ever told apart at a spread of 3%, and two or three invocations narrow the interval.
 * An NVIDIA H200 has 0.05% (2026-11-21). What runs on the machine's processors shares them with
 * whatever else it does: kernels on llvmpipe varied by 7% on two cores with little else to do, and
 * by 19 to 37% beside a test run (2026-11-26, docs/results/ranks-h200.md). Two such variances lie as
 * far apart as two draws of a prior with two degrees of freedom, about 0.15: with it, at most 5% of
 * equal variants are told apart at any spread from 7 to 37% (`bench:statistics`).
 */
const SPREAD_PRIORS: Readonly<Record<DeviceClass, Omit<Spread, 'isShown'>>> = {
  gpu: { relative: 0.005, df: 1 },
  browser: { relative: 0.005, df: 1 },
  software: { relative: 0.15, df: 2 },
  cpu: { relative: 0.15, df: 2 },
};

export const spreadPrior = (deviceClass: DeviceClass): Spread => ({
  ...SPREAD_PRIORS[deviceClass],
  isShown: false,
});

/**
 * The same of a ratio of two that took turns: other work on the machine slows both, so that on its
 * processors ratios differ less than times. Ten quiet visits of llvmpipe did by 1.43 (2026-11-27).
 */
export const turnsPrior = (deviceClass: DeviceClass): Spread =>
  sharesHost(deviceClass) ? { relative: 0.1, df: 4, isShown: false } : spreadPrior(deviceClass);

/**
 * What a device has shown counts for no more than this beside what a variant shows itself: its
 * variants are not alike.
 */
const MOST_DF = 16;

/** Before its variants show this many degrees of freedom, each alone has what it shows. */
const KNOWN_DF = 8;

/** What the median of several variances says, as a part of what their mean would. */
const MEDIAN_EFFICIENCY = 0.4;

/** Of a variant on a device: the median of its invocations, with the interval of that. */
export interface Headline extends Interval {
  readonly invocations: number;
  /** Of the invocations' medians, relative; null for a single one. */
  readonly spread: number | null;
}

/**
 * Standard deviation of the median of n normal values over that of their mean, n = 1, 2, ...; then
 * nearly sqrt(pi / 2).
 */
const MEDIAN_OVER_MEAN = [1, 1, 1.16, 1.092, 1.198, 1.135, 1.214, 1.16, 1.223];
const MEDIAN_OVER_MEAN_AT_MOST = 1.2533;

/**
 * The headline of several invocations: their median, never their best, which only gets luckier with
 * their number. Its interval is hierarchical (Kalibera and Jones 2013): the spread between
 * invocations is what is known of the device and what they show themselves, each by its degrees of
 * freedom (a scaled inverse chi-squared prior), with Student's quantile of both. That within each
 * counts as far as their own spread, which contains it, does not say it. Throws `RangeError` for none.
 *
 * @param known of the device; see `knownSpread`
 */
export function headline(
  invocations: readonly Interval[],
  known: Spread = spreadPrior('gpu'),
): Headline {
  const n = invocations.length;
  const medians = invocations.map(({ medianNs }) => medianNs);
  const medianNs = median(medians);
  if (medianNs === undefined) throw new RangeError('the headline of no invocations');
  const spread = n > 1 ? (deviation(medians) ?? 0) / medianNs : null;
  const ownDf = n - 1;
  const df = known.df + ownDf;
  const shown = spread === null ? 0 : ownDf * unbiased(spread ** 2, ownDf);
  const between = studentQuantile(df) * Math.sqrt((known.df * known.relative ** 2 + shown) / df);
  const part = (MEDIAN_OVER_MEAN[n - 1] ?? MEDIAN_OVER_MEAN_AT_MOST) / Math.sqrt(n);
  const half = (side: (interval: Interval) => number) => {
    const within = mean(invocations, (invocation) => side(invocation) ** 2) ?? 0;
    return part * Math.sqrt((within * known.df) / df + (between * medianNs) ** 2);
  };
  return {
    medianNs,
    lowNs: Math.max(
      medianNs - half((interval) => interval.medianNs - interval.lowNs),
      medianNs * LEAST_PART,
    ),
    highNs: medianNs + half((interval) => interval.highNs - interval.medianNs),
    invocations: n,
    spread,
  };
}

/** An interval so wide says nothing; times stay above zero. */
const LEAST_PART = 0.01;

/** A variance, corrected for how far the median of such estimates lies below the truth (Wilson and Hilferty 1931). */
const unbiased = (variance: number, df: number): number => variance / (1 - 2 / (9 * df)) ** 3;

/**
 * The spread of a device: what is said of its class and what its variants show that were measured
 * by several invocations, each by its degrees of freedom. Of the latter it is the median of the
 * variances: one variant that changed with a driver says nothing about the others.
 */
export function knownSpread(
  deviceClass: DeviceClass,
  repeated: readonly { readonly invocations: number; readonly spread: number | null }[],
): Spread {
  const prior = spreadPrior(deviceClass);
  const variances = repeated
    .flatMap(({ invocations, spread }) =>
      spread === null || invocations < 2 ? [] : [{ df: invocations - 1, spread }],
    )
    .map(({ df, spread }) => ({ df, variance: unbiased(spread ** 2, df) }))
    .toSorted((a, b) => ascending(a.variance, b.variance));
  const df = sum(variances, (variance) => variance.df);
  if (df < KNOWN_DF) return prior;
  let below = 0;
  for (const known of variances) {
    below += known.df;
    if (2 * below < df) continue;
    const shown = MEDIAN_EFFICIENCY * df;
    const both = prior.df + shown;
    const mixed = (prior.df * prior.relative ** 2 + shown * known.variance) / both;
    // What is said of the class widens what few repeats show, and never narrows it.
    const variance = Math.max(mixed, known.variance);
    return { relative: Math.sqrt(variance), df: Math.min(both, MOST_DF), isShown: true };
  }
  return prior;
}
