import type { Kernel, Timer } from '@tilemark/kernels';
import type { DeviceClass } from './device';
import type { Series, StopReason } from './outcome';
import type { Policy } from './policy';
import { PLAUSIBLE_PART, type Roof } from './roofline';

/** A coefficient of variation above this is shown and not ranked. */
export const MAX_RANKED_CV = 0.035;

/** Distributions closer than this are the same, relative. */
const VERDICT_GAP = 0.005;

export type Interval = Pick<Series, 'lowNs' | 'highNs'>;

/**
 * Ranks of results of one problem, in the order given: one more than the
 * number of results that are faster beyond doubt, that is, whose interval ends
 * before this one's begins. Results whose intervals overlap therefore share a
 * rank, unless a third one separates them.
 */
export function ranks(results: readonly Interval[]): number[] {
  return results.map(({ lowNs }) => 1 + results.filter((other) => other.highNs < lowNs).length);
}

export type Verdict = 'FAST' | 'SLOW' | 'SAME';

/**
 * Whether `candidate` is faster or slower than `base`: only where the fast
 * three quarters of the samples, [min, q3], lie at least 0.5% apart.
 */
export function verdict(
  candidate: Pick<Series, 'minNs' | 'q3Ns'>,
  base: Pick<Series, 'minNs' | 'q3Ns'>,
): Verdict {
  if (candidate.q3Ns * (1 + VERDICT_GAP) <= base.minNs) return 'FAST';
  if (base.q3Ns * (1 + VERDICT_GAP) <= candidate.minNs) return 'SLOW';
  return 'SAME';
}

/** Geometric mean of positive ratios; null for none. */
export function geometricMean(ratios: readonly number[]): number | null {
  if (ratios.length === 0) return null;
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}

/** Why a measurement is shown and not ranked, in words for people; null when it is ranked. */
export function unrankedReason(of: {
  readonly kernel: Pick<Kernel, 'id' | 'errorGrowth'>;
  readonly policy: Policy;
  readonly timer: Timer;
  readonly deviceClass: DeviceClass;
  readonly cold: Series;
  readonly stop: StopReason;
  readonly roof: Roof | null;
}): string | null {
  const { kernel, policy, timer, deviceClass, cold, stop, roof } = of;
  if (!policy.rankable) return `the ${policy.id} policy is too quick for a ranking`;
  if (timer.kind === 'wall' && deviceClass !== 'cpu') {
    return 'timed by wall clock: this device has no usable timestamps';
  }
  if (cold.n < policy.minSamplesSlow) {
    return `${cold.n} samples, and policy ${policy.id} takes ${policy.minSamplesSlow} at least`;
  }
  if (stop === 'throttled') return 'the device throttled for more than half of the samples';
  if (!(cold.cv <= MAX_RANKED_CV)) {
    return `noisy: the samples vary by ${percent(cold.cv)} (over ${percent(MAX_RANKED_CV)})`;
  }
  if (roof && cold.medianNs < PLAUSIBLE_PART * roof.ns) {
    const faster = percent(roof.ns / cold.medianNs - 1);
    return `implausible: ${faster} faster than the ${roof.bound} of the device allows`;
  }
  const { id, errorGrowth = 1 } = kernel;
  if (errorGrowth > 1) return `less exact: ${id} may have ${errorGrowth} times the usual error`;
  return null;
}

const percent = (ratio: number) => `${(100 * ratio).toFixed(1)}%`;
