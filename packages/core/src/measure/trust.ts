import { EPILOGUES, type Kernel, type Problem, regimeWords, type Timer } from '@tilemark/kernels';
import { isSettled } from '../statistics/interval-name';
import { halfWidth, type Series } from '../statistics/summary';
import { type DeviceClass, sharesHost } from './device';
import type { Measurement, StopReason } from './outcome';
import type { Policy } from './policy';
import { PLAUSIBLE_PART, type Roof } from './roofline';

/** A machine whose processors work a greater part of the time for others is busy: times are theirs, too. */
export const BUSY_PART = 0.2;

/** A kernel that takes this many times as long on new inputs as on others keeps results to save work. */
export const MAX_FRESH_RATIO = 2;

/** Operands in the cache do not slow a dispatch down; waiting for the one before that writes to the same output may, by this much. */
const MAX_HOT_RATIO = 2;
const LAUNCH_NS = 10_000;

/** Null where a kernel gains nothing from what it has computed before, or that is not known. */
export const keepsResultsReason = (freshRatio: number | null | undefined): string | null =>
  freshRatio != null && freshRatio > MAX_FRESH_RATIO
    ? `it keeps results: on new inputs a dispatch takes ${freshRatio.toFixed(1)} times as long as on those it has seen`
    : null;

/** The facts that a measurement is judged by. */
interface Evidence {
  readonly kernel: Pick<Kernel, 'id' | 'errorGrowth'>;
  readonly policy: Policy;
  readonly timer: Timer;
  readonly deviceClass: DeviceClass;
  readonly cold: Series;
  readonly hot?: Pick<Series, 'medianNs'> | null | undefined;
  readonly stop: StopReason;
  readonly roof: Roof | null;
  /** See the verification of a measurement. */
  readonly freshRatio?: number | null | undefined;
  readonly problem?: Pick<Problem, 'epilogue' | 'regime'>;
}

/** Why a measurement is shown but not ranked, as its fields. */
export function rankability(
  evidence: Evidence,
): Required<Pick<Measurement, 'unranked' | 'disbelieved'>> {
  const unranked = unrankedReason(evidence);
  const { cold, deviceClass, roof } = evidence;
  const doubt = changedWorkReason(evidence) ?? implausibleReason(cold, roof, deviceClass);
  return { unranked, disbelieved: doubt !== null && unranked === doubt };
}

/** Why a measurement is shown but not ranked, in words for people; null when it is ranked. */
export function unrankedReason(evidence: Evidence): string | null {
  const { kernel, policy, timer, deviceClass, cold, roof } = evidence;
  if (!policy.rankable) return `the ${policy.id} policy is too quick to rank`;
  if (timer.kind === 'wall' && deviceClass !== 'cpu') {
    return 'timed by wall clock: this device has no usable timestamps';
  }
  if (cold.n < policy.minSamplesSlow) {
    return `only ${cold.n} samples; the ${policy.id} policy needs at least ${policy.minSamplesSlow}`;
  }
  const disturbed = disturbedReason(evidence);
  if (disturbed) return disturbed;
  if (!Number.isFinite(halfWidth(cold))) {
    return 'its samples are too few to say how well the median is known';
  }
  const implausible = implausibleReason(cold, roof, deviceClass);
  if (implausible) return implausible;
  const { id, errorGrowth = 1 } = kernel;
  if (errorGrowth > 1)
    return `less accurate: ${id} is allowed ${errorGrowth} times the usual error`;
  const { epilogue, regime } = evidence.problem ?? {};
  if (regime) return `on request: its inputs are ${regimeWords(regime)}`;
  if (epilogue) return `an epilogue (${EPILOGUES[epilogue].words}): products alone are ranked`;
  return null;
}

/**
 * The reason of a measurement that other work on the machine may have disturbed, as a wrong kernel may
 * itself; null: none.
 */
export function disturbedReason(
  found: Pick<Evidence, 'policy' | 'cold' | 'hot' | 'stop' | 'freshRatio'>,
): string | null {
  const changed = changedWorkReason(found);
  if (changed) return changed;
  if (found.stop === 'throttled') {
    return 'the device throttled during more than half of the samples';
  }
  if (!isSettled(found.cold, found.policy.interval)) {
    return 'not settled: its samples depend so much on those before that the median is not known';
  }
  return null;
}

/** Why a dispatch of the cold series does not do all of its work; null: it does. */
function changedWorkReason({
  cold,
  freshRatio,
  hot,
}: Pick<Evidence, 'cold' | 'hot' | 'freshRatio'>): string | null {
  const hotNs = hot?.medianNs ?? 0;
  const hotRatio = hotNs / cold.medianNs;
  const isQuicker = hotRatio > MAX_HOT_RATIO && hotNs - cold.medianNs > LAUNCH_NS;
  return (
    keepsResultsReason(freshRatio) ??
    (isQuicker
      ? `it does less in the cold series: a dispatch takes ${hotRatio.toFixed(1)} times as long in the hot one`
      : null)
  );
}

/**
 * Why a time is not believed, as it beats what the device can do; null if it does not, or if the
 * machine shares the device with other work, beside which a probe finds a part of what it can do.
 */
export function implausibleReason(
  cold: Pick<Series, 'medianNs'>,
  roof: Roof | null,
  deviceClass: DeviceClass,
): string | null {
  if (!roof || sharesHost(deviceClass) || cold.medianNs >= PLAUSIBLE_PART * roof.ns) return null;
  const faster = percent(roof.ns / cold.medianNs - 1);
  return `implausible: ${faster} faster than the ${roof.bound} of the device allows`;
}

const percent = (ratio: number) => `${(100 * ratio).toFixed(1)}%`;
