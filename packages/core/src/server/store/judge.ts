import type { Prisma } from '@tilemark/db';
import {
  InputError,
  ifValid,
  isBatch,
  type Problem,
  type ResolvedVariant,
  resolveVariant,
  specialise,
  type Variant,
} from '@tilemark/kernels';
import { checkOutcome } from '../../measure/consistency';
import { dataSheetOf, dataSheetRoof, workingSetOf } from '../../measure/data-sheet';
import {
  type DeviceClass,
  type DeviceIdentity,
  type Profile,
  sharesHost,
} from '../../measure/device';
import { judgedDuel } from '../../measure/duel';
import {
  COMPARABLE_SINCE,
  METHODOLOGY_VERSION,
  type Measurement,
  type Outcome,
} from '../../measure/outcome';
import { POLICIES, type PolicyId } from '../../measure/policy';
import { leastTime, type Roof, type RooflineSurvey, surveyedRoof } from '../../measure/roofline';
import { summarise } from '../../measure/stats';
import { IMPLAUSIBLE, unrankedReason } from '../../measure/trust';
import { roofsFor } from '../gate/parties';
import { fromJson, sha256 } from './database';

/**
 * What the grid believes of an outcome, whoever brings it: a worker, a file, a member or an admin.
 * Everything that follows from the samples is computed here, by the functions that the worker uses;
 * what a result says of itself can lower it and never raise it. A contradiction refuses it.
 */

/** How the reason of earlier releases begins, which did not rank what is not known to ±2%. */
export const WIDE = 'the median is known to';

/** What was measured, as far as its roof goes. */
export interface RoofedRun {
  readonly variant: Variant;
  readonly problem: Problem;
  readonly profile: Profile;
}

/** The run an outcome is of. */
export interface JudgedRun extends RoofedRun {
  readonly policy: PolicyId;
}

/** What is known about the device and about who speaks. */
export interface Grounds {
  readonly device: Pick<DeviceIdentity, 'device' | 'class'>;
  /** The device's roof under the profile that holds for the party; undefined: the grid knows none. */
  readonly roof: RooflineSurvey | undefined;
  /** How long the run was claimed for; null: not known, or the operator's word. */
  readonly leaseNs: number | null;
  /** What the grid drew when the run was claimed; null: it did not, or the operator's word. */
  readonly seed: number | null;
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
export function judged(outcome: Outcome, run: JudgedRun, grounds: Grounds, at: string): Outcome {
  checkOutcome(outcome, run, at, grounds.leaseNs);
  if (outcome.kind !== 'measured') return outcome;
  const { measurement: stated } = outcome;
  const { seed } = stated.verification;
  if (seed !== undefined && grounds.seed !== null && seed !== grounds.seed) {
    throw new InputError(
      `The run is to be verified with seed ${grounds.seed}, not ${seed}.`,
      `${at}.measurement.verification.seed`,
    );
  }
  const cold = summarise(stated.cold.samplesNs);
  const hot = stated.hot && summarise(stated.hot.samplesNs);
  const measurement = {
    ...{ ...stated, cold, hot, roof: roofOver(stated, run, grounds.roof) },
    ...(stated.duel && { duel: duelOf(stated.duel, `${at}.measurement.duel`) }),
  };
  return {
    kind: 'measured',
    measurement: { ...measurement, unranked: unrankedBecause(measurement, stated, run, grounds) },
  };
}

const duelOf = (stated: NonNullable<Measurement['duel']>, at: string) => ({
  ...stated,
  duel: stated.duel && judgedDuel(stated.duel, at),
});

/** The first reason not to rank it; what it states itself counts where it is not a verdict of ours. */
function unrankedBecause(
  measurement: Measurement,
  stated: Measurement,
  { policy: policyId, problem, variant }: JudgedRun,
  { device, isStored, isUnvouched, roof: known, seed, wgsl }: Grounds,
): string | null {
  const { bufferSets, clock, cold, methodologyVersion } = measurement;
  const { stop, timer, verification } = measurement;
  if (methodologyVersion !== METHODOLOGY_VERSION && !isStored) {
    return `measured with methodology ${methodologyVersion}; this grid ranks results of methodology ${METHODOLOGY_VERSION}`;
  }
  const resolved = ifValid(() => resolveVariant(variant.kernel, variant.tunables));
  if (!resolved) return 'this release has no such variant';
  const sheet = dataSheetOf(device);
  const workingSet = workingSetOf(bufferSets, problem);
  const bound = sheet && dataSheetRoof(sheet, variant, problem, workingSet);
  const isHeld = known && POLICIES[policyId].rankable;
  const least = isHeld ? leastTime(known, variant, problem, workingSet) : null;
  const of = {
    ...{ kernel: resolved.definition, policy: POLICIES[policyId], deviceClass: device.class },
    ...{ clock, freshRatio: verification.freshRatio, stop, timer },
  };
  for (const roof of [measurement.roof ?? null, least, bound]) {
    const reason = unrankedReason({ ...of, cold, roof });
    if (reason !== null) return reason;
  }
  const own = unrankedReason({ ...of, cold: stated.cold, roof: stated.roof ?? null });
  const earlier = sharesHost(device.class) ? [WIDE, IMPLAUSIBLE] : [WIDE];
  const isOurs =
    stated.unranked === own || earlier.some((reason) => stated.unranked?.startsWith(reason));
  if (!isOurs && stated.unranked !== null) return stated.unranked;
  if (seed !== null && verification.seed === undefined) {
    return 'it does not say on which inputs it was verified';
  }
  if (wgsl !== undefined && !isSourceOf(resolved, problem, wgsl)) {
    return 'it ran another shader than this release writes for the variant';
  }
  if (isUnvouched && !known && !bound) {
    return 'unconfirmed: imported, and nothing says what the device can do at most';
  }
  return null;
}

/** By variant, dtype, and whether it is of a batch: a source changes only with the release. */
const hashes = new Map<string, string | null>();

/** SHA-256 of the source that this release writes for a variant; null for host kernels. */
export function sourceHashOf(
  variant: JudgedRun['variant'] & { readonly address: string },
  problem: Problem,
): string | null {
  const { dtype } = problem;
  const key = `${variant.address} ${dtype} ${isBatch(problem)}`;
  const known = hashes.get(key);
  if (known !== undefined) return known;
  const { definition, tunables } = resolveVariant(variant.kernel, variant.tunables);
  const hash =
    definition.runsOn === 'gpu'
      ? sha256(specialise(definition, tunables, dtype, isBatch(problem)))
      : null;
  hashes.set(key, hash);
  return hash;
}

const isSourceOf = (variant: ResolvedVariant, problem: Problem, wgsl: string | null): boolean =>
  sourceHashOf(variant, problem) === (wgsl === null ? null : sha256(wgsl));

/**
 * The roof over a measurement: the one of its device and profile, whatever the result itself
 * states. Where the grid does not know all of that, its own says which rate binds, and the grid's
 * counts if it knows that one. Null where the policy asks for none, and where nothing says what binds:
 * that of bytes alone, over a problem with multiply-adds, may be an earlier release's guess.
 */
function roofOver(
  measurement: Measurement,
  { variant, problem }: Pick<RoofedRun, 'variant' | 'problem'>,
  survey: RooflineSurvey | undefined,
): Measurement['roof'] {
  const { bufferSets, methodologyVersion, policy } = measurement;
  const own = methodologyVersion >= COMPARABLE_SINCE ? (measurement.roof ?? null) : null;
  if (!survey || !POLICIES[policy as PolicyId]?.rankable) return own;
  const workingSet = workingSetOf(bufferSets, problem);
  // Not valid: a variant of an earlier release.
  const of = ifValid(() => ({
    whole: surveyedRoof(survey, variant, problem, workingSet),
    known: leastTime(survey, variant, problem, workingSet),
  }));
  if (of?.whole) return of.whole;
  if (!own || own.bound !== of?.known?.bound) return own;
  return own.bound === 'compute' ? of.known : null;
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
  { profile, ...run }: RoofedRun,
  device: RoofedDevice,
  party: string | null,
): Roof | null {
  const roofs = roofsFor(device.roofs, party);
  const isSurveyed = roofs.some(({ workerId }) => workerId !== null);
  if (sharesHost(device.class) && !isSurveyed) return null;
  const known = roofs.find((roof) => roof.profile === profile);
  return roofOver(measurement, run, known && fromJson(known.content)) ?? null;
}
