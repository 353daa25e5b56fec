import { ascending, quantileSorted } from 'd3-array';
import { z } from 'zod';
import { MAXIMA } from '../schema/maxima';
import { coefficientOfVariation, medianInterval } from './median';

/** A time in ns that a clock can produce: finite and above zero, so NaN never passes. */
const ns = z.number().positive();

/** Order statistics of one series of samples; times are per dispatch, in ns. */
export const seriesSchema = z.object({
  n: z.number().int().positive(),
  medianNs: ns,
  /** 95% interval of the median, the dependence between samples paid for. */
  lowNs: ns,
  highNs: ns,
  minNs: ns,
  q1Ns: ns,
  q3Ns: ns,
  /** Standard deviation over mean. */
  cv: z.number().nonnegative(),
  /** Independent samples that would say as much. */
  independent: z.number().positive(),
  /** Every sample in the order taken. */
  samplesNs: z.array(ns).max(MAXIMA.samples),
});
export type Series = z.infer<typeof seriesSchema>;

/**
 * A median whose 95% interval reaches no farther than this to a side is known well enough to place
 * it; a wider one is placed by the slow end of its interval (rank/headline.ts). Relative.
 */
export const KNOWN_WIDTH = 0.02;

/** The part of the median that its interval reaches to the farther side. */
export const halfWidth = ({
  medianNs,
  lowNs,
  highNs,
}: Pick<Series, 'medianNs' | 'lowNs' | 'highNs'>): number =>
  Math.max(highNs - medianNs, medianNs - lowNs) / medianNs;

/** By their samples: a result is held against them from several sides. */
const summaries = new WeakMap<readonly number[], Series>();

/**
 * Order statistics of a series of times per dispatch, ns, in the order taken. Quartiles
 * interpolate between neighbours (R's type 7). The samples may not change afterwards. Throws
 * `RangeError` for no samples.
 */
export function summarise(samplesNs: readonly number[]): Series {
  const known = summaries.get(samplesNs);
  if (known) return known;
  const sorted = [...samplesNs].sort(ascending);
  const { median, low, high, independent } = medianInterval(samplesNs);
  const series = {
    n: sorted.length,
    medianNs: median,
    lowNs: low,
    highNs: high,
    minNs: sorted[0] ?? median,
    q1Ns: quantileSorted(sorted, 0.25) ?? median,
    q3Ns: quantileSorted(sorted, 0.75) ?? median,
    cv: coefficientOfVariation(samplesNs),
    independent,
    samplesNs: [...samplesNs],
  };
  summaries.set(samplesNs, series);
  return series;
}
