import { type ResolvedVariant, sourceFor } from '@tilemark/kernels';
import { sharesHost } from '../measure/device';
import type { Measurement } from '../measure/outcome';
import { POLICIES } from '../measure/policy';
import type { Roof } from '../measure/roofline';
import { rankability } from '../measure/trust';
import type { GateBasis } from './basis';

/**
 * Why a measurement is shown and not ranked: the first of these reasons. Those that follow from the
 * measurement and a roof are given while it is measured, too (measure/trust.ts).
 */

/** A measurement that may be ranked, computed again. */
interface Candidate {
  readonly measurement: Measurement;
  /** As it was handed in. */
  readonly stated: Measurement;
  /** Null: this release does not have its variant. */
  readonly resolved: ResolvedVariant | null;
  readonly run: GateBasis;
  /** What bounds it: each of them has to hold. */
  readonly roofs: readonly (Roof | null)[];
}

/** The reasons, in the order in which they are tried. */
const REASONS: readonly ((candidate: Candidate) => Reason)[] = [
  ({ resolved }) => (resolved ? RANKED : because('this release has no such variant')),
  ({ measurement, roofs, ...candidate }) =>
    roofs.map((roof) => procedureReason(candidate, measurement, roof)).find(isReason) ?? RANKED,
  statedByItself,
  ({ resolved, run }) =>
    resolved && run.wgsl !== undefined && run.wgsl !== shaderOf(resolved, run)
      ? because('it ran another shader than this release writes for the variant')
      : RANKED,
];

type Reason = ReturnType<typeof rankability>;

const because = (unranked: string | null): Reason => ({ unranked, disbelieved: false });
const RANKED = because(null);
const isReason = ({ unranked }: Reason): boolean => unranked !== null;

export const whyUnranked = (candidate: Candidate): Reason => {
  for (const reasonOf of REASONS) {
    const reason = reasonOf(candidate);
    if (isReason(reason)) return reason;
  }
  return RANKED;
};

function procedureReason(
  { resolved, run }: Pick<Candidate, 'resolved' | 'run'>,
  measurement: Measurement,
  roof: Roof | null,
): Reason {
  if (!resolved) return RANKED;
  return rankability({
    ...measurement,
    freshRatio: measurement.verification.freshRatio,
    roof,
    kernel: resolved.definition,
    policy: POLICIES[run.policy],
    deviceClass: run.deviceClass,
    problem: run.problem,
  });
}

/** What it says against itself counts, where it is not a verdict of ours that no longer holds. */
function statedByItself({ stated, ...candidate }: Candidate): Reason {
  const { disbelieved = false, unranked } = stated;
  const isOurs = unranked === procedureReason(candidate, stated, stated.roof ?? null).unranked;
  const isShared = disbelieved && sharesHost(candidate.run.deviceClass);
  return isOurs || isShared ? RANKED : { unranked, disbelieved };
}

/** The source that this release writes for a variant; null for host kernels. */
const shaderOf = (
  { definition, tunables }: ResolvedVariant,
  { engine, problem }: GateBasis,
): string | null =>
  definition.runsOn === 'gpu' ? sourceFor(definition, tunables, problem, engine ?? 'tint') : null;
