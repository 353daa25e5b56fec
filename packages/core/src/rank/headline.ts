import { ascending, deviation, mean, median, sum } from 'd3-array';
import type { DeviceClass } from '../measure/device';
import type { Series } from '../measure/outcome';
import { halfWidth, KNOWN_WIDTH, studentQuantile } from '../measure/stats';

/** A median time with its 95% interval, ns. */
export type Interval = Pick<Series, 'medianNs' | 'lowNs' | 'highNs'>;

/**
 * The time a headline is placed by, ns: its median if that is known to ±2%, otherwise the slow end
 * of its interval. Noise therefore never earns a place.
 */
export const provenNs = (of: Interval): number =>
  halfWidth(of) <= KNOWN_WIDTH ? of.medianNs : of.highNs;

/** How much the medians of separate invocations of one variant vary on a device. */
export interface Spread {
  /** Standard deviation, relative. */
  readonly relative: number;
  /** Degrees of freedom that it rests on; null: it is the prior. */
  readonly df: number | null;
}

/**
 * The spread between invocations of a device that has shown none yet, relative. Where memory lies,
 * what was compiled and what else the machine does change from one process to the next; 0.1 to 0.5%
 * is common (T. Kalibera and R. Jones, Rigorous benchmarking in reasonable time, 2013). An NVIDIA
 * H200 has 0.05% (2026-11-21). What runs on the machine's processors shares them with whatever
 * else it does: eight invocations of a kernel on llvmpipe varied by 7% on two cores with little
 * else to do, and by 29% beside a test run (2026-11-26, docs/measurement.md).
 */
const SPREAD_PRIORS: Readonly<Record<DeviceClass, number>> = {
  ...{ gpu: 0.003, browser: 0.003 },
  ...{ software: 0.1, cpu: 0.1 },
};

export const spreadPrior = (of: DeviceClass): Spread => ({
  relative: SPREAD_PRIORS[of],
  df: null,
});

/** From this many invocations on, their own spread says all; before, that of the device does. */
export const ENOUGH_INVOCATIONS = 5;

/** A device's spread is known once its repeated variants have this many degrees of freedom. */
const KNOWN_DF = 8;

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
 * their number. Its interval is hierarchical (Kalibera and Jones 2013): from five invocations on, the
 * variance of their medians, which contains that within each, with Student's quantile; before, that
 * within each plus the spread between invocations known for the device, or what they show themselves
 * if it is more. Throws `RangeError` for none.
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
  const [first] = invocations;
  if (medianNs === undefined || !first) throw new RangeError('the headline of no invocations');
  const spread = n > 1 ? (deviation(medians) ?? 0) / medianNs : null;
  const between =
    (known.df === null ? NORMAL : studentQuantile(known.df)) * known.relative * medianNs;
  if (n === 1) {
    const { lowNs, highNs } = first;
    return {
      medianNs,
      lowNs: Math.max(medianNs - Math.hypot(medianNs - lowNs, between), medianNs * LEAST_PART),
      highNs: medianNs + Math.hypot(highNs - medianNs, between),
      invocations: n,
      spread,
    };
  }
  const within = Math.sqrt(
    mean(invocations, ({ lowNs, highNs }) => ((highNs - lowNs) / 2) ** 2) ?? 0,
  );
  const shown = (spread ?? 0) * medianNs;
  const ofOne =
    n < ENOUGH_INVOCATIONS
      ? Math.max(Math.hypot(within, between), NORMAL * shown)
      : Math.max(within, studentQuantile(n - 1) * shown);
  const half = ((MEDIAN_OVER_MEAN[n - 1] ?? MEDIAN_OVER_MEAN_AT_MOST) * ofOne) / Math.sqrt(n);
  return {
    medianNs,
    lowNs: Math.max(medianNs - half, medianNs * LEAST_PART),
    highNs: medianNs + half,
    invocations: n,
    spread,
  };
}

const NORMAL = 1.96;

/** An interval so wide says nothing; times stay above zero. */
const LEAST_PART = 0.01;

/**
 * The spread of a device from its variants that were measured by several invocations, or the prior
 * of its class where they are too few. It is the median over them of the variance, each corrected for how far the
 * median of such an estimate lies below the truth (Wilson and Hilferty 1931): one variant that
 * changed with a driver says nothing about the others.
 */
export function knownSpread(
  of: DeviceClass,
  repeated: readonly { readonly invocations: number; readonly spread: number | null }[],
): Spread {
  const variances = repeated
    .flatMap(({ invocations, spread }) =>
      spread === null || invocations < 2 ? [] : [{ df: invocations - 1, spread }],
    )
    .map(({ df, spread }) => ({ df, variance: spread ** 2 / (1 - 2 / (9 * df)) ** 3 }))
    .toSorted((a, b) => ascending(a.variance, b.variance));
  const df = sum(variances, (each) => each.df);
  if (df < KNOWN_DF) return spreadPrior(of);
  let below = 0;
  for (const each of variances) {
    below += each.df;
    if (2 * below >= df) return { relative: Math.sqrt(each.variance), df };
  }
  return spreadPrior(of);
}
