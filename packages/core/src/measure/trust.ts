import { EPILOGUES, type Kernel, type Problem, REGIMES, type Timer } from '@tilemark/kernels';
import { median, sum } from 'd3-array';
import { z } from 'zod';
import { isSettled } from '../statistics/interval-name';
import { halfWidth, type Series } from '../statistics/summary';
import { type Clock, contradiction } from './clock';
import { type DeviceClass, sharesHost } from './device';
import type { Measurement, StopReason } from './outcome';
import type { Policy } from './policy';
import { PLAUSIBLE_PART, type Roof } from './roofline';

/** A machine whose processors work a greater part of the time for others is busy: times are theirs, too. */
export const BUSY_PART = 0.2;

/** How the reason begins why a time is not believed. */
export const IMPLAUSIBLE = 'implausible';

/** How it begins where a kernel keeps results of inputs that it has seen. */
const KEEPS_RESULTS = 'it keeps results';

/** Whether a reason says that the times are not those of the work, rather than what disturbed them. */
export const isDisbelieved = (reason: string | null): boolean =>
  [IMPLAUSIBLE, KEEPS_RESULTS].some((beginning) => reason?.startsWith(beginning));

/** A kernel that takes this many times as long on new inputs as on others keeps results to save work. */
export const MAX_FRESH_RATIO = 2;

/** Why a measurement is shown but not ranked, in words for people; null when it is ranked. */
export function unrankedReason(found: {
  readonly kernel: Pick<Kernel, 'id' | 'errorGrowth'>;
  readonly policy: Policy;
  readonly timer: Timer;
  readonly deviceClass: DeviceClass;
  readonly cold: Series;
  readonly stop: StopReason;
  readonly roof: Roof | null;
  readonly clock?: Clock | null | undefined;
  /** See the verification of a measurement. */
  readonly freshRatio?: number | null | undefined;
  /** See a measurement. */
  readonly othersLoad?: number | undefined;
  readonly problem?: Pick<Problem, 'epilogue' | 'regime'>;
}): string | null {
  const { kernel, policy, timer, deviceClass, cold, roof } = found;
  if (!policy.rankable) return `the ${policy.id} policy is too quick to rank`;
  if (timer.kind === 'wall' && deviceClass !== 'cpu') {
    return 'timed by wall clock: this device has no usable timestamps';
  }
  if (cold.n < policy.minSamplesSlow) {
    return `only ${cold.n} samples; the ${policy.id} policy needs at least ${policy.minSamplesSlow}`;
  }
  const disturbed = disturbedReason(found);
  if (disturbed) return namingLoad(disturbed, found.othersLoad ?? 0);
  if (!Number.isFinite(halfWidth(cold))) {
    return 'its samples are too few to say how well the median is known';
  }
  const implausible = implausibleReason(cold, roof, deviceClass);
  if (implausible) return implausible;
  const { id, errorGrowth = 1 } = kernel;
  if (errorGrowth > 1)
    return `less accurate: ${id} is allowed ${errorGrowth} times the usual error`;
  const { epilogue, regime } = found.problem ?? {};
  if (regime) return `on request: its inputs are ${REGIMES[regime]}`;
  if (epilogue) return `an epilogue (${EPILOGUES[epilogue].words}): products alone are ranked`;
  return null;
}

/** What other work on the machine does to right kernels, as well as wrong ones to themselves; null: nothing of it. */
export function disturbedReason(found: {
  readonly policy: Policy;
  readonly cold: Series;
  readonly stop: StopReason;
  readonly clock?: Clock | null | undefined;
  readonly freshRatio?: number | null | undefined;
}): string | null {
  const contradicted = found.clock && contradiction(found.clock);
  if (contradicted) return contradicted;
  if (found.freshRatio != null && found.freshRatio > MAX_FRESH_RATIO) {
    return `${KEEPS_RESULTS}: on new inputs a dispatch takes ${found.freshRatio.toFixed(1)} times as long as on those it has seen`;
  }
  if (found.stop === 'throttled') {
    return 'the device throttled during more than half of the samples';
  }
  if (!isSettled(found.cold, found.policy.interval)) {
    return 'not settled: its samples depend so much on those before that the median is not known';
  }
  return null;
}

/** The reason, with whose it is where others took so much of the machine's processors. */
export const namingLoad = (reason: string, othersLoad: number): string =>
  othersLoad > BUSY_PART
    ? `${reason}; other work took ${Math.round(100 * othersLoad)}% of the machine's processors: its load is why, rather than the kernel, so run it again when they are idle`
    : reason;

/** More samples than these do not help: something disturbs the device; seconds. */
const WORTHWHILE_SECONDS = 3600;

/**
 * How long sampling would take until the interval is within `width`, relative: `45 s` or `12 min`.
 * Null if it is already, or if so much sampling would not help.
 */
export function timeToNarrow(
  { cold, dispatchesPerSample }: Pick<Measurement, 'cold' | 'dispatchesPerSample'>,
  width: number,
): string | null {
  const times = (halfWidth(cold) / width) ** 2;
  const seconds = (dispatchesPerSample * sum(cold.samplesNs) * times) / 1e9;
  return times > 1 && seconds <= WORTHWHILE_SECONDS ? secondsText(seconds) : null;
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
  return `${IMPLAUSIBLE}: ${faster} faster than the ${roof.bound} of the device allows`;
}

const percent = (ratio: number) => `${(100 * ratio).toFixed(1)}%`;

/** `45 s` or `12 min`. */
const secondsText = (seconds: number): string =>
  seconds < 100 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`;

/** A result far from what the same device and driver gave for the same run before and since. */
export const outlierSchema = z.object({
  /** Distance from the median of the others, in their median absolute deviations; negative is faster. */
  deviations: z.number(),
  /** Of the others, ns. */
  medianNs: z.number().positive(),
  others: z.number().int().positive(),
});
type Outlier = z.infer<typeof outlierSchema>;

/** Anything farther out is flagged. It stays ranked: the driver may really have changed. */
const MAX_DEVIATIONS = 5;

/** Fewer results than this have no spread to speak of. */
const MIN_OTHERS = 5;

/** Smallest relative deviation: five of them are the 0.5% within which two times are the SAME. */
const MIN_DEVIATION = 0.001;

/** Flags a median more than 5 MAD from those of other runs of the same; null when it is not. */
export function outlierOf(medianNs: number, othersNs: readonly number[]): Outlier | null {
  const center = median(othersNs);
  if (center === undefined || othersNs.length < MIN_OTHERS) return null;
  const spread = median(othersNs, (other) => Math.abs(other - center)) ?? 0;
  const deviations = (medianNs - center) / Math.max(spread, MIN_DEVIATION * center);
  if (Math.abs(deviations) <= MAX_DEVIATIONS) return null;
  return { deviations, medianNs: center, others: othersNs.length };
}
