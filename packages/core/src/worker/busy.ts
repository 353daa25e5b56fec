import type { Outcome } from '../measure/outcome';
import { POLICIES, type PolicyId } from '../measure/policy';
import { BUSY_PART, disturbedReason, namingLoad } from '../measure/trust';
import { sleep } from './waiting';

/** How long a run waits for other work to end before it is repeated all the same, ms. */
const LONGEST_WAIT_MS = 30_000;
const CHECK_MS = 2_000;

interface BusyParts {
  /** Begins to watch; then tells the part of the processors that others took since it was last asked. */
  readonly othersLoad: () => () => number;
  readonly checkMs?: number;
}

/**
 * Measures, and where that is refused for what other work does to right kernels, once more when the
 * machine is quieter. What is refused even then, beside other work, is said to be the machine's.
 */
export async function measuredQuietly(
  measure: () => Promise<Outcome>,
  policy: PolicyId,
  { othersLoad, checkMs = CHECK_MS }: BusyParts,
): Promise<Outcome> {
  const load = othersLoad();
  const first = await measure();
  if (disturbance(first, policy) === null || load() <= BUSY_PART) return first;
  for (let waitedMs = 0; waitedMs < LONGEST_WAIT_MS; waitedMs += checkMs) {
    await sleep(checkMs);
    if (load() <= BUSY_PART) break;
  }
  const second = await measure();
  const part = load();
  const why = disturbance(second, policy);
  if (second.kind !== 'measured' || why === null || part <= BUSY_PART) return second;
  const { measurement } = second;
  const unranked = namingLoad(why, part);
  return { kind: 'measured', measurement: { ...measurement, othersLoad: part, unranked } };
}

/** Why it is not ranked, if other work on the machine may be the cause. */
function disturbance(outcome: Outcome, policyId: PolicyId): string | null {
  const policy = POLICIES[policyId];
  if (outcome.kind !== 'measured' || !policy.rankable) return null;
  const { clock, cold, stop, unranked, verification } = outcome.measurement;
  const { freshRatio } = verification;
  const why = disturbedReason({ policy, clock, cold, stop, freshRatio });
  return why !== null && unranked === why ? why : null;
}
