import { ascending, deviation, maxIndex, mean, median, sum } from 'd3-array';
import { type DeviceClass, sharesHost } from '../measure/device';
import { studentQuantile } from '../statistics/median';
import { halfWidth, KNOWN_WIDTH, type Series } from '../statistics/summary';

/** A median time with its 95% interval, ns. */
export type Interval = Pick<Series, 'medianNs' | 'lowNs' | 'highNs'>;

/**
 * The time a headline is placed by, ns: its median if that is known to ±2%, otherwise the slow end
 * of its interval. Noise therefore never earns a place.
 */
export const placedNs = (interval: Interval): number =>
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

/** The efficiency of the median of several variances, beside their mean. */
const MEDIAN_EFFICIENCY = 0.4;

/** The headline of a variant on a device: the median of its invocations, with its interval. */
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
 * counts as far as their own spread, which contains it, does not say it. Where invocations fall into
 * two groups, it reaches to both. Throws `RangeError` for none.
 *
 * @param known of the device; see `spreadOfRepeats`
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
  const half = halfOf(invocations, medianNs, known);
  const modes = modesOf(medians);
  return {
    medianNs,
    lowNs: Math.max(
      Math.min(medianNs - half(({ lowNs, medianNs: own }) => own - lowNs), modes?.low ?? Infinity),
      medianNs * LEAST_PART,
    ),
    highNs: Math.max(
      medianNs + half(({ highNs, medianNs: own }) => highNs - own),
      modes?.high ?? 0,
    ),
    invocations: n,
    spread,
  };
}

/** How far the interval of the median of some values reaches to a side, in their unit; see `headline`. */
function halfOf<Of extends Interval>(invocations: readonly Of[], unit: number, known: Spread) {
  const n = invocations.length;
  const ownDf = n - 1;
  const variance = ((deviation(invocations, ({ medianNs }) => medianNs) ?? 0) / unit) ** 2;
  const df = known.df + ownDf;
  const shown = n > 1 ? ownDf * unbiased(variance, ownDf) : 0;
  const between = studentQuantile(df) * Math.sqrt((known.df * known.relative ** 2 + shown) / df);
  const part = (MEDIAN_OVER_MEAN[n - 1] ?? MEDIAN_OVER_MEAN_AT_MOST) / Math.sqrt(n);
  return (side: (interval: Of) => number) => {
    const within = mean(invocations, (invocation) => side(invocation) ** 2) ?? 0;
    return part * Math.sqrt((within * known.df) / df + (between * unit) ** 2);
  };
}

/** Fewer values do not show that there are two groups, nor does one value by itself. */
const FEWEST_OF_MODES = 6;
const FEWEST_OF_MODE = 2;
/** The groups are so many times as far apart as the values of each. */
const MODES_APART = 4;

/**
 * The middles of two groups that the medians of invocations fall into, as on a device that runs in one
 * of two modes for as long as a process lasts; null: there is one. The median of all is then that of the
 * mode that came more often, and no spread of theirs tells how often that is.
 */
function modesOf(
  medians: readonly number[],
): { readonly low: number; readonly high: number } | null {
  const sorted = medians.toSorted(ascending);
  const n = sorted.length;
  if (n < FEWEST_OF_MODES) return null;
  const gaps = sorted.slice(1).map((value, at) => value - (sorted[at] ?? value));
  const at = 1 + (maxIndex(gaps) ?? 0);
  const groups = [sorted.slice(0, at), sorted.slice(at)];
  if (groups.some(({ length }) => length < FEWEST_OF_MODE)) return null;
  const [low = 0, high = 0] = groups.map((group) => median(group) ?? 0);
  const width = Math.max(...groups.map((group) => (group.at(-1) ?? 0) - (group[0] ?? 0)));
  return (gaps[at - 1] ?? 0) > MODES_APART * (width / 2) ? { low, high } : null;
}

/**
 * The median of ratios, in logarithms, with its interval as that of a headline: their mirror has the
 * mirrored one.
 */
export function headlineOfRatios(
  ratios: readonly { readonly ratio: number; readonly low: number; readonly high: number }[],
  known: Spread,
): { readonly ratio: number; readonly low: number; readonly high: number } {
  const logs = ratios.map(({ high, low, ratio }) => ({
    medianNs: Math.log(ratio),
    lowNs: Math.log(low),
    highNs: Math.log(high),
  }));
  const log = median(logs, ({ medianNs }) => medianNs);
  if (log === undefined) throw new RangeError('the headline of no ratios');
  const half = halfOf(logs, 1, known);
  return {
    ratio: Math.exp(log),
    low: Math.exp(log - half(({ lowNs, medianNs }) => medianNs - lowNs)),
    high: Math.exp(log + half(({ highNs, medianNs }) => highNs - medianNs)),
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
export function spreadOfRepeats(
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
  for (const entry of variances) {
    below += entry.df;
    if (2 * below < df) continue;
    const shown = MEDIAN_EFFICIENCY * df;
    const both = prior.df + shown;
    const mixed = (prior.df * prior.relative ** 2 + shown * entry.variance) / both;
    // What is said of the class widens what few repeats show, and never narrows it.
    const variance = Math.max(mixed, entry.variance);
    return { relative: Math.sqrt(variance), df: Math.min(both, MOST_DF), isShown: true };
  }
  return prior;
}
