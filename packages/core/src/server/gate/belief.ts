import type { Prisma } from '@tilemark/db';
import { ifValid, resolveVariant } from '@tilemark/kernels';
import { dataSheetOf, dataSheetRoof, workingSetOf } from '../../measure/data-sheet';
import {
  type DeviceClass,
  type DeviceIdentity,
  type Profile,
  sharesHost,
} from '../../measure/device';
import { recomputedDuel } from '../../measure/duel';
import { COMPARABLE_SINCE, type Measurement, type Outcome } from '../../measure/outcome';
import { POLICIES, type PolicyId } from '../../measure/policy';
import { leastTime, type Roof, type RooflineSurvey, surveyedRoof } from '../../measure/roofline';
import type { AskedRun } from '../../plan/expansion';
import { summarise } from '../../statistics/summary';
import { fromJson } from '../store/database';
import { checkOutcome } from './consistency';
import { roofsFor } from './parties';
import { whyUnranked } from './reasons';

/**
 * What the grid believes of an outcome. Everything that follows from the samples is computed here, by
 * the functions that the worker uses; what a result says of itself can lower it and never raise it. A
 * contradiction refuses it.
 */

/** What is known about the device and about who speaks. */
interface Grounds {
  readonly device: Pick<DeviceIdentity, 'device' | 'class'>;
  /** The device's roof under the profile that holds for the party; undefined: the grid knows none. */
  readonly roof: RooflineSurvey | undefined;
  /** How long the run was claimed for; null: not known, or the operator's word. */
  readonly leaseNs: number | null;
  /** The grid drew a seed when the run was claimed, and needs more than the operator's word. */
  readonly isSeeded: boolean;
  /** The source that ran; undefined: not stated, as files do not. */
  readonly wgsl: string | null | undefined;
  /** Brought in a file by someone other than an admin. */
  readonly isUnvouched: boolean;
  /** Stored already: of an earlier methodology, it is ranked among its own. */
  readonly isStored?: boolean;
}

/**
 * The outcome as it is kept. Throws InputError naming the field that contradicts another.
 *
 * @param at where the outcome is, for example `results[3].outcome`
 */
export function believed(outcome: Outcome, run: AskedRun, grounds: Grounds, at: string): Outcome {
  checkOutcome(outcome, run, at, grounds.leaseNs);
  if (outcome.kind !== 'measured') return outcome;
  const { measurement: stated } = outcome;
  const { problem, variant } = run;
  const { device, isSeeded, isStored = false, isUnvouched, roof: known, wgsl } = grounds;
  const measurement = {
    ...stated,
    cold: summarise(stated.cold.samplesNs),
    hot: stated.hot && summarise(stated.hot.samplesNs),
    roof: roofOver(stated, run, known),
    ...(stated.duel && { duel: duelOf(stated.duel, `${at}.measurement.duel`) }),
  };
  const resolved = ifValid(() => resolveVariant(variant.kernel, variant.tunables)) ?? null;
  const policy = POLICIES[run.policy];
  const workingSet = workingSetOf(measurement.bufferSets, problem);
  const sheet = resolved && dataSheetOf(device);
  const bound = sheet ? dataSheetRoof(sheet, variant, problem, workingSet) : null;
  const least =
    resolved && known && policy.rankable ? leastTime(known, variant, problem, workingSet) : null;
  const unranked = whyUnranked({
    measurement,
    stated,
    variant: resolved,
    problem,
    policy,
    device,
    wgsl,
    isSeeded,
    isStored,
    isUnbounded: isUnvouched && !known && !bound,
    roofs: [measurement.roof ?? null, least, bound],
  });
  return { kind: 'measured', measurement: { ...measurement, unranked } };
}

const duelOf = (stated: NonNullable<Measurement['duel']>, at: string) => ({
  ...stated,
  duel: stated.duel && recomputedDuel(stated.duel, at),
});

/**
 * The roof over a measurement: the one of its device and profile, whatever the result itself
 * states. Where the grid does not know all of that, its own says which rate binds, and the grid's
 * counts if it knows that one. Null where the policy asks for none, and where nothing says what binds:
 * that of bytes alone, over a problem with multiply-adds, may be an earlier release's guess.
 */
function roofOver(
  measurement: Measurement,
  { variant, problem }: Pick<AskedRun, 'variant' | 'problem'>,
  survey: RooflineSurvey | undefined,
): Measurement['roof'] {
  const { bufferSets, methodologyVersion, policy } = measurement;
  const stated = methodologyVersion >= COMPARABLE_SINCE ? (measurement.roof ?? null) : null;
  if (!survey || !POLICIES[policy as PolicyId]?.rankable) return stated;
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

/** A device with what is known of its roofs, as pages read it. */
interface RoofedDevice {
  readonly class: DeviceClass;
  readonly roofs: readonly {
    profile: Profile;
    party: string;
    content: Prisma.JsonValue;
    workerId: string | null;
  }[];
}

/**
 * The roof that is shown over a measurement of a party; null: none. A device that shares its host's cores has
 * none until it was surveyed, which waits until it is idle: a probe beside other work finds a part
 * of its peak, and the share of that would be too high.
 */
export function shownRoof(
  measurement: Measurement,
  { profile, ...run }: Pick<AskedRun, 'variant' | 'problem' | 'profile'>,
  device: RoofedDevice,
  party: string | null,
): Roof | null {
  const roofs = roofsFor(device.roofs, party);
  const isSurveyed = roofs.some(({ workerId }) => workerId !== null);
  if (sharesHost(device.class) && !isSurveyed) return null;
  const known = roofs.find((roof) => roof.profile === profile);
  return roofOver(measurement, run, known && fromJson(known.content)) ?? null;
}
