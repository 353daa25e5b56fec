import {
  areSeparate,
  type Contrast,
  contrast,
  geometricMean,
  type HeadToHead,
  hasInterval,
  headline,
  type Measurement,
  pairContrast,
  type ResultDetail,
  type Spread,
} from '@tilemark/core';
import { type Dtype, type OpId, opOf, type Problem } from '@tilemark/kernels';
import { group } from 'd3-array';
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

/** One problem, and how the second side does on it against the first. */
interface ComparedPair extends Contrast {
  readonly pair: HeadToHead;
}

/** The pairs of one op and dtype, of two variants also on one device: the others have no mean in common. */
interface Summary {
  readonly op: OpId;
  readonly dtype: Dtype;
  /** Null where two devices are compared. */
  readonly device: HeadToHead['device'];
  readonly pairs: number;
  /** Pairs left out, of which a side is not ranked. */
  readonly unranked: number;
  /** Geometric mean of the ratios. */
  readonly mean: number;
  readonly counts: Readonly<Record<Contrast['verdict'], number>>;
}

/** Each pair's verdict and effect, and what the ranked ones, else all, come to together. */
export function comparePairs(pairs: readonly HeadToHead[]): {
  readonly rows: readonly ComparedPair[];
  readonly summaries: readonly Summary[];
} {
  const rows = pairs.map((pair) => ({ pair, ...pairContrast(pair) }));
  const alike = group(rows, ({ pair: { device, problem } }) =>
    JSON.stringify([problem.op, problem.dtype, device?.key]),
  );
  const summaries = [...alike.values()].flatMap((all): Summary[] => {
    const ranked = all.filter(({ pair: { a, b } }) => a.unranked === null && b.unranked === null);
    const counted = ranked.length > 0 ? ranked : all;
    const [first] = counted;
    if (!first) return [];
    const { device, problem } = first.pair;
    const counts = { FAST: 0, SAME: 0, SLOW: 0, UNDECIDED: 0 };
    for (const { verdict } of counted) counts[verdict] += 1;
    const mean = geometricMean(counted.map(({ ratio }) => ratio)) ?? Number.NaN;
    const unranked = all.length - counted.length;
    const { dtype, op } = problem;
    return [{ op, dtype, device, pairs: counted.length, unranked, mean, counts }];
  });
  return { rows, summaries };
}

const OF_ONE: Readonly<Record<Contrast['verdict'], string>> = {
  FAST: 'B is faster.',
  SAME: 'B is as fast.',
  SLOW: 'B is slower.',
  UNDECIDED: 'Which is faster is undecided.',
};

/** How B does on the problems of a summary. */
export function countsText(counts: Summary['counts']): string {
  const { FAST, SAME, SLOW, UNDECIDED } = counts;
  const total = FAST + SAME + SLOW + UNDECIDED;
  const [only] = VERDICTS.filter((verdict) => counts[verdict] > 0);
  if (total === 1 && only) return OF_ONE[only];
  const rest = UNDECIDED > 0 ? `; ${UNDECIDED} undecided` : '';
  return `B is faster on ${FAST}, the same on ${SAME}, slower on ${SLOW}${rest}.`;
}

const VERDICTS = ['FAST', 'SAME', 'SLOW', 'UNDECIDED'] as const;
