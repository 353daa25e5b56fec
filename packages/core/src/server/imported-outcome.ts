import { InputError, kernelById, opOf } from '@tilemark/kernels';
import type { RunResult } from '../api';
import type { DeviceClass } from '../device';
import { METHODOLOGY_VERSION, type Measurement, type Outcome, type Series } from '../outcome';
import { POLICIES, type PolicyId } from '../policy';
import { unrankedReason } from '../rank';
import { surveyedRoof } from '../roofline';
import type { RooflineSurvey } from '../roofline-survey';
import { summarise } from '../stats';

interface OutcomeContext {
  /** Where the outcome is in the file. */
  readonly field: string;
  readonly deviceClass: DeviceClass;
  /** An admin vouches for what they bring. */
  readonly isAdmin: boolean;
  /** What a worker of this grid found the device to do at most, under the profile; null: none has. */
  readonly roofline: RooflineSurvey | null;
}

/**
 * An outcome of a file as it may be kept: its statistics and whether it is ranked are
 * worked out again, and what our procedure cannot have given is refused.
 *
 * @throws InputError naming the field at fault
 */
export function importedOutcome(
  outcome: Outcome,
  run: RunResult,
  context: OutcomeContext,
): Outcome {
  if (outcome.kind !== 'measured') return outcome;
  const { measurement } = outcome;
  const at = `${context.field}.measurement`;
  checkProcedure(measurement, run.policy, at);
  const cold = seriesOf(measurement.cold, run, `${at}.cold`);
  const hot = measurement.hot && seriesOf(measurement.hot, run, `${at}.hot`);
  const unranked = importedUnranked({ ...measurement, cold }, run, context);
  return { kind: 'measured', measurement: { ...measurement, cold, hot, unranked } };
}

/** Refuses what our procedure never writes. */
function checkProcedure(measurement: Measurement, policy: PolicyId, at: string): void {
  const { methodologyVersion, stop, verification } = measurement;
  if (methodologyVersion !== METHODOLOGY_VERSION) {
    throw new InputError(
      `Measured by version ${methodologyVersion} of the methodology; ours is ${METHODOLOGY_VERSION}.`,
      `${at}.methodologyVersion`,
    );
  }
  if (measurement.policy !== policy) {
    throw new InputError(`The run had policy ${policy}, its measurement another.`, `${at}.policy`);
  }
  const stops = POLICIES[policy].rankable
    ? ['converged', 'noisy', 'capped', 'throttled']
    : ['quick', 'capped'];
  if (!stops.includes(stop)) {
    throw new InputError(`Policy ${policy} never ends as ${stop}.`, `${at}.stop`);
  }
  for (const when of ['before', 'after'] as const) {
    if (!(verification[when].worstRatio <= 1)) {
      throw new InputError(
        'An error over its bound is incorrect, not measured.',
        `${at}.verification.${when}.worstRatio`,
      );
    }
  }
}

/** The statistics of the samples; what the file says of them does not count. */
function seriesOf({ samplesNs }: Series, { problem }: RunResult, at: string): Series {
  if (samplesNs.length === 0) {
    throw new InputError('A measurement without samples proves nothing.', `${at}.samplesNs`);
  }
  const series = summarise(samplesNs);
  const rate = opOf(problem).rate(problem, series.medianNs);
  if (![series.medianNs, series.cv, rate].every(Number.isFinite)) {
    throw new InputError('No clock gives such times.', `${at}.samplesNs`);
  }
  return series;
}

/** Why an imported result is not ranked: by our rules, by its own word, or for want of a roof. */
function importedUnranked(
  measurement: Measurement,
  { policy: policyId, problem, variant }: RunResult,
  { deviceClass, isAdmin, roofline }: OutcomeContext,
): string | null {
  const policy = POLICIES[policyId];
  const kernel = kernelById(variant.kernel);
  const { cold, roof: stated = null, stop, timer } = measurement;
  const known = roofline && surveyedRoof(roofline, variant, problem);
  for (const roof of [stated, known]) {
    const reason = unrankedReason({ kernel, policy, timer, deviceClass, cold, stop, roof });
    if (reason !== null) return reason;
  }
  if (measurement.unranked !== null) return measurement.unranked;
  if (known || isAdmin) return null;
  return 'imported, and no worker of this grid has measured what the device can do at most';
}
