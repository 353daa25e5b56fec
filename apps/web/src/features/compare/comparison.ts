import {
  areSeparate,
  type Contrast,
  contrast,
  hasInterval,
  headline,
  type Measurement,
  type ResultDetail,
  type Spread,
} from '@tilemark/core';
import { opOf, type Problem } from '@tilemark/kernels';
import { problemText } from '../sweeps/runs';

export interface Measured {
  readonly result: ResultDetail;
  readonly measurement: Measurement;
  /** Between invocations on its device. */
  readonly spread: Spread;
}

export async function measuredOf(
  result: ResultDetail,
  spreadOf: (deviceKey: string, methodology: number) => Promise<Spread>,
): Promise<Measured | null> {
  if (result.outcome?.kind !== 'measured') return null;
  const { measurement } = result.outcome;
  const spread = await spreadOf(result.device.key, measurement.methodologyVersion);
  return { result, measurement, spread };
}

export interface Comparison extends Omit<Contrast, 'verdict'> {
  /**
   * Of `b` against `a`; null where they did different work, of which times say nothing, and where
   * they are one variant measured twice, of which neither can be the faster.
   */
  readonly verdict: Contrast['verdict'] | null;
  /** What `ratio` is of: rates where the work differs. Null: they have none in common. */
  readonly of: 'speed' | 'rate' | null;
  /** Nothing differs but the run. */
  readonly isRepeat: boolean;
  /** Whether a side has too few independent samples for a 95% interval: then only separate samples decide. */
  readonly isRange: boolean;
  /** What differs between the two beside what was to be compared; each makes the verdict say less. */
  readonly differences: readonly string[];
}

/** `b` against `a`: whether it is faster, by how much, and what else differs. */
export function compare(a: Measured, b: Measured): Comparison {
  const isSameWork = problemText(a.result.problem) === problemText(b.result.problem);
  const work = workRatio(a.result.problem, b.result.problem);
  const { high, low, ratio, verdict, wouldTake } = contrast(headlineOf(b), headlineOf(a));
  const differences = differencesOf(a, b);
  const isRange = [a, b].some(({ measurement }) => !hasInterval(measurement.cold));
  const isSeparate = areSeparate(a.measurement.cold.samplesNs, b.measurement.cold.samplesNs);
  const isRepeat = differences.length === 0;
  return {
    verdict: isSameWork && !isRepeat ? (isRange && !isSeparate ? 'UNDECIDED' : verdict) : null,
    isRange,
    isRepeat,
    of: isSameWork ? 'speed' : work === null ? null : 'rate',
    ratio: (work ?? 1) * ratio,
    low: (work ?? 1) * low,
    high: (work ?? 1) * high,
    wouldTake,
    differences,
  };
}

/** One invocation: its interval is widened by what others would differ. */
const headlineOf = ({ measurement, spread }: Measured) => headline([measurement.cold], spread);

/** The work of `b` over that of `a`, as their rates count it; null where those have other units. */
function workRatio(a: Problem, b: Problem): number | null {
  if (opOf(a).rateUnit(a) !== opOf(b).rateUnit(b)) return null;
  return opOf(b).rate(b, 1) / opOf(a).rate(a, 1);
}

/** Facts that are meant to be equal unless they are what is compared. */
const FACTS: readonly (readonly [string, (of: Measured) => string])[] = [
  ['problem', ({ result }) => problemText(result.problem)],
  ['variant', ({ result }) => result.address],
  ['device', ({ result }) => result.device.name],
  ['profile', ({ result }) => result.profile],
  ['policy', ({ result }) => result.policy],
  ['driver', ({ result }) => result.environment.driver],
  ['timer', ({ measurement }) => measurement.timer.kind],
];

const differencesOf = (a: Measured, b: Measured): string[] =>
  FACTS.filter(([, read]) => read(a) !== read(b)).map(([name]) => name);
