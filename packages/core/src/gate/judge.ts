import { InputError, ifValid, resolveVariant } from '@tilemark/kernels';
import type { RunSpec } from '../api/run';
import { Refused } from '../link/link';
import { workingSetOf } from '../measure/calibrate';
import { recomputedDuel } from '../measure/duel';
import type { Measurement, Outcome } from '../measure/outcome';
import { POLICIES } from '../measure/policy';
import { leastTime, type RooflineSurvey, surveyedRoof } from '../measure/roofline';
import { summarise } from '../statistics/summary';
import type { GateBasis } from './basis';
import { checkOutcome } from './consistency';
import { whyUnranked } from './reasons';

/**
 * The gate: what the grid makes of an outcome, as a function of the outcome, its run and the roof of its
 * device. Whatever follows from the samples is computed here, by the functions that measured them; what
 * a result says of itself can lower it, never raise it. A contradiction refuses it (consistency.ts); of
 * the reasons not to rank it, the first is named (reasons.ts). Workers call it before they send, the
 * grid on every result, whoever brings it; whose results decide is not judged here (store/trust.ts).
 */

/**
 * The outcome as it is kept, a measured one with its reason not to be ranked in `unranked`; Refused,
 * with the field that contradicts another.
 *
 * @param survey the roof of the device under the profile; undefined: not known
 */
export function judge(
  outcome: Outcome,
  run: GateBasis,
  survey: RooflineSurvey | undefined,
): Outcome | Refused {
  try {
    checkOutcome(outcome, run);
    return outcome.kind === 'measured'
      ? { ...outcome, measurement: judged(outcome.measurement, run, survey) }
      : outcome;
  } catch (error) {
    if (error instanceof InputError) return new Refused(error.message, error.field);
    throw error;
  }
}

function judged(
  stated: Measurement,
  run: GateBasis,
  survey: RooflineSurvey | undefined,
): Measurement {
  const { problem, variant } = run;
  const measurement = {
    ...stated,
    cold: summarise(stated.cold.samplesNs),
    hot: stated.hot && summarise(stated.hot.samplesNs),
    roof: roofOver(stated, run, survey),
    ...(stated.duel && { duel: duelOf(stated.duel) }),
  };
  const resolved = ifValid(() => resolveVariant(variant.kernel, variant.tunables)) ?? null;
  const workingSet = workingSetOf(measurement.bufferSets, problem);
  const least =
    resolved && survey && POLICIES[run.policy].rankable
      ? leastTime(survey, variant, problem, workingSet)
      : null;
  const roofs = [measurement.roof ?? null, least];
  return { ...measurement, ...whyUnranked({ measurement, stated, resolved, run, roofs }) };
}

const duelOf = (stated: NonNullable<Measurement['duel']>) => ({
  ...stated,
  duel: stated.duel && recomputedDuel(stated.duel, 'outcome.measurement.duel'),
});

/**
 * The roof over a measurement: the one of its device and profile, whatever the result itself
 * states. Where the grid does not know all of that, its own says which rate binds, and the grid's
 * counts if it knows that one. Null where the policy asks for none, and where nothing says what binds.
 */
export function roofOver(
  { bufferSets, roof: stated = null }: Measurement,
  { variant, policy, problem }: Pick<RunSpec, 'variant' | 'problem' | 'policy'>,
  survey: RooflineSurvey | undefined,
): Measurement['roof'] {
  if (!survey || !POLICIES[policy].rankable) return stated;
  const workingSet = workingSetOf(bufferSets, problem);
  // Not valid: a variant of an earlier release.
  const ofSurvey = ifValid(() => ({
    whole: surveyedRoof(survey, variant, problem, workingSet),
    known: leastTime(survey, variant, problem, workingSet),
  }));
  if (ofSurvey?.whole) return ofSurvey.whole;
  if (!stated || stated.bound !== ofSurvey?.known?.bound) return stated;
  return stated.bound === 'compute' ? ofSurvey.known : null;
}
