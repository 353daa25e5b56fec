import type { Outcome } from '../measure/outcome';
import { POLICIES, type PolicyId } from '../measure/policy';
import { BUSY_PART, disturbedReason } from '../measure/trust';
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
 * machine is quieter.
 */
export async function measuredQuietly(
  measure: () => Promise<Outcome>,
  policy: PolicyId,
  { othersLoad, checkMs = CHECK_MS }: BusyParts,
): Promise<Outcome> {
  const load = othersLoad();
  const first = await measure();
  if (!isDisturbed(first, policy) || load() <= BUSY_PART) return first;
  for (let waitedMs = 0; waitedMs < LONGEST_WAIT_MS; waitedMs += checkMs) {
    await sleep(checkMs);
    if (load() <= BUSY_PART) break;
  }
  return measure();
}

/** Whether it is not ranked for what other work on the machine may be the cause of. */
function isDisturbed(outcome: Outcome, policyId: PolicyId): boolean {
  const policy = POLICIES[policyId];
  if (outcome.kind !== 'measured' || !policy.rankable) return false;
  const { cold, hot, stop, unranked, verification } = outcome.measurement;
  const { freshRatio } = verification;
  const why = disturbedReason({ policy, cold, hot, stop, freshRatio });
  return why !== null && unranked === why;
}
