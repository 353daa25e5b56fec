import type { Prepared, Timer } from '@tilemark/kernels';
import { type Series, summarise } from '../statistics/summary';
import { nextOfSeries, roundingNs } from './calibrate';
import type { Batch, Measurement, StopReason } from './outcome';
import type { Policy } from './policy';
import { stoppingRule } from './stopping';
import { type Canary, type ClockReading, PaceWatch } from './throttle';

/** A variant to take samples of. */
export interface Sampler {
  readonly prepared: Pick<Prepared, 'newTurns' | 'sample'>;
  readonly policy: Policy;
  readonly timer: Timer;
  /** A sample of several dispatches stays under this, ns. */
  readonly longestNs?: number | undefined;
  /** A monotonic clock, ns. */
  readonly nowNs: () => number;
  /** Null if the device's clocks cannot be watched: then no sample is discarded. */
  readonly canary: Canary | null;
  /** The clocks as last reported; absent where nothing reports them. */
  readonly clocks?: () => ClockReading | null;
}

/** Device time between two canary checks, ns. */
const BATCH_NS = 100e6;

/** Device time of a hot series, ns. */
const HOT_NS = 100e6;

/** After a warm-up this long the device counts as warm, whatever the canary says, ns. */
const LONGEST_WARM_UP_NS = 2e9;

/**
 * Brings clocks and caches to their working state while growing the sample until the timer
 * resolves it: both at once, because a sample size found on an idle device is too small at full
 * clocks. If the policy warms up at all, this continues while the canary is far behind, for at
 * most 2 s: an NVIDIA H200 that has idled for seconds may still run at a fifth of its clock after
 * 0.15 s of load (2026-11-22).
 *
 * @param beganNs since when the device has been at work
 */
export async function warmUpAndCalibrate(
  { prepared, policy, timer, longestNs, nowNs, canary }: Sampler,
  beganNs = nowNs(),
): Promise<{
  readonly dispatches: number;
  readonly samples: number;
}> {
  const spentNs = () => nowNs() - beganNs;
  const isSlow = async () =>
    policy.warmup.ns > 0 && spentNs() < LONGEST_WARM_UP_NS && (await canary?.isFarBehind());
  // One quick run follows another: the canary alone says whether the device has idled between them.
  const leastNs = canary && !policy.rankable ? 0 : policy.warmup.ns;
  let dispatches = 1;
  for (let samples = 1; ; samples++) {
    const ns = await takeSample({ prepared, timer }, dispatches, true);
    const next = nextOfSeries(dispatches, ns, prepared, { policy, timer, longestNs });
    const isWarm = samples >= policy.warmup.samples && spentNs() >= leastNs;
    if (isWarm && next === dispatches && !(await isSlow())) return { dispatches, samples };
    dispatches = next;
  }
}

/**
 * The headline series: samples rotate through the buffer sets, so that each finds a cold cache,
 * until the policy's stopping rule is satisfied. If results are ranked, the device's pace is
 * recorded for each batch, and a batch after which the device is slow is discarded. If that would
 * be more than half of all samples, everything is kept and the series is `throttled`.
 */
export async function coldSeries(
  { prepared, policy, timer, nowNs, canary, clocks }: Sampler,
  dispatches: number,
): Promise<{
  readonly series: Series;
  readonly stop: StopReason;
  readonly discarded: Measurement['discarded'];
  readonly batches: readonly Batch[];
}> {
  const watch = policy.rankable && canary ? new PaceWatch(canary, clocks) : null;
  const batches: Batch[] = [];
  const rule = stoppingRule(policy, nowNs);
  const kept: number[] = [];
  const discarded: number[] = [];
  let stop: StopReason | null = null;
  rule.start();
  while (!stop) {
    await watch?.coolDown();
    const batch = await takeBatch({ prepared, timer }, dispatches, watch ? BATCH_NS : 0);
    const pace = await watch?.batch(batch.length);
    if (pace) batches.push(pace);
    if (pace?.isSlow) {
      discarded.push(...batch);
    } else {
      for (const ns of batch) rule.add({ ns, dispatches });
      kept.push(...batch);
    }
    stop = rule.finished();
  }
  const perDispatch = (samplesNs: readonly number[]) =>
    summarise(samplesNs.map((ns) => ns / dispatches));
  if (discarded.length > kept.length) {
    const series = perDispatch([...kept, ...discarded]);
    return { series, stop: 'throttled', discarded: [], batches };
  }
  const why = 'the device had slowed down';
  return {
    series: perDispatch(kept),
    stop,
    discarded: discarded.length > 0 ? [{ count: discarded.length, why }] : [],
    batches,
  };
}

/** The hot series: one output and as few inputs as stay new, made again for each sample. Never ranked, so short. */
export async function hotSeries(
  { prepared, policy, timer, nowNs }: Sampler,
  dispatches: number,
): Promise<Series> {
  const minTotalNs = Math.min(policy.minTotalNs, HOT_NS);
  const rule = stoppingRule({ ...policy, minTotalNs, rankable: false }, nowNs);
  const samplesNs: number[] = [];
  rule.start();
  while (!rule.finished()) {
    const ns = await takeSample({ prepared, timer }, dispatches, false);
    rule.add({ ns, dispatches });
    samplesNs.push(ns / dispatches);
  }
  return summarise(samplesNs);
}

/** Cold samples that together last at least `leastNs`; at least one. */
async function takeBatch(
  sampler: Pick<Sampler, 'prepared' | 'timer'>,
  dispatches: number,
  leastNs: number,
): Promise<number[]> {
  const batch: number[] = [];
  let totalNs = 0;
  do {
    const ns = await takeSample(sampler, dispatches, true);
    batch.push(ns);
    totalNs += ns;
  } while (totalNs < leastNs);
  return batch;
}

/**
 * Time of one sample, ns. Throws Error if the device's clock says that no time has passed, or
 * more than on the wall clock, by more than what a browser rounds.
 */
export async function takeSample(
  { prepared, timer }: { readonly prepared: Pick<Prepared, 'sample'>; readonly timer: Timer },
  dispatches: number,
  rotate: boolean,
): Promise<number> {
  const { ns, wallNs } = await prepared.sample({ dispatches, rotate });
  const rounding = roundingNs(timer);
  if (!(ns + rounding > 0 && ns <= wallNs + rounding)) {
    throw new Error(
      `the device's clock is wrong: it gives ${ns} ns for a pass of ${dispatches} dispatches that took ${wallNs} ns by the wall clock`,
    );
  }
  return ns;
}
