import { type Measurement, type ResultDetail, type Verdict, verdict } from '@tilemark/core';
import { opOf, type Problem, shapeText } from '@tilemark/kernels';

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
  /** Of `b` against `a`; null where they did different work, of which times say nothing. */
  readonly verdict: Verdict | null;
  /** What `ratio` is of: rates where the work differs. Null: they have none in common. */
  readonly of: 'speed' | 'rate' | null;
  /** `b` over `a`, by the medians; below 1 it is slower. 1 where nothing is in common. */
  readonly ratio: number;
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
  const isSameWork = problemText(a.result) === problemText(b.result);
  const work = workRatio(a.result.problem, b.result.problem);
  return {
    verdict: isSameWork ? verdict(candidate, base) : null,
    of: isSameWork ? 'speed' : work === null ? null : 'rate',
    ratio: ((work ?? 1) * base.medianNs) / candidate.medianNs,
    low: ((work ?? 1) * base.lowNs) / candidate.highNs,
    high: ((work ?? 1) * base.highNs) / candidate.lowNs,
    differences: differencesOf(a, b),
  };
}

/** The work of `b` over that of `a`, as their rates count it; null where those have other units. */
function workRatio(a: Problem, b: Problem): number | null {
  if (opOf(a).rateUnit !== opOf(b).rateUnit) return null;
  return opOf(b).rate(b, 1) / opOf(a).rate(a, 1);
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
