import { type Measurement, type ResultDetail, type Verdict, verdict } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';

/** A result that has a number. */
export interface Measured {
  readonly result: ResultDetail;
  readonly measurement: Measurement;
}

export function measuredOf(result: ResultDetail): Measured | null {
  return result.outcome?.kind === 'measured'
    ? { result, measurement: result.outcome.measurement }
    : null;
}

export interface Comparison {
  /** Of `b` against `a`. */
  readonly verdict: Verdict;
  /** Times that `b` is faster than `a`, by the medians; below 1 it is slower. */
  readonly speedup: number;
  /** The same between the interval ends that are nearest and farthest. */
  readonly low: number;
  readonly high: number;
  /** What differs between the two beside what was to be compared; each makes the verdict say less. */
  readonly differences: readonly string[];
}

/** `b` against `a`: whether it is faster, by how much, and what else differs. */
export function compare(a: Measured, b: Measured): Comparison {
  const base = a.measurement.cold;
  const candidate = b.measurement.cold;
  return {
    verdict: verdict(candidate, base),
    speedup: base.medianNs / candidate.medianNs,
    low: base.lowNs / candidate.highNs,
    high: base.highNs / candidate.lowNs,
    differences: differencesOf(a, b),
  };
}

const problemText = ({ problem }: ResultDetail) =>
  `${problem.op} ${shapeText(problem)} ${problem.dtype}`;

/** Facts that are meant to be equal unless they are what is compared. */
const FACTS: readonly (readonly [string, (of: Measured) => string])[] = [
  ['problem', ({ result }) => problemText(result)],
  ['variant', ({ result }) => result.address],
  ['device', ({ result }) => result.device.name],
  ['profile', ({ result }) => result.profile],
  ['policy', ({ result }) => result.policy],
  ['driver', ({ result }) => result.environment.driver],
  ['timer', ({ measurement }) => measurement.timer.kind],
  ['method', ({ measurement }) => `version ${measurement.methodologyVersion}`],
];

const differencesOf = (a: Measured, b: Measured): string[] =>
  FACTS.filter(([, read]) => read(a) !== read(b)).map(([name]) => name);
