import type { Prepared, Timer } from '@tilemark/kernels';
import { nextDispatches, shortestSampleNs } from './calibrate';
import type { Measurement, Series, StopReason } from './outcome';
import type { Policy } from './policy';
import { summarise } from './stats';
import { stoppingRule } from './stopping';
import type { Canary } from './throttle';

/** What samples are taken with. */
export interface Sampler {
  readonly prepared: Prepared;
  readonly policy: Policy;
  readonly timer: Timer;
  /** A monotonic clock, ns. */
  readonly nowNs: () => number;
  /** Null where the device's clocks cannot be told: then no sample is discarded. */
  readonly canary: Canary | null;
}

/** Device time between two looks at the canary, ns. */
const BATCH_NS = 100e6;

/** After so long a warm-up the device counts as warm, whatever the canary says, ns. */
const LONGEST_WARM_UP_NS = 2e9;

/**
 * Brings clocks and caches to their working state, and grows the sample until
 * the timer resolves it: both at once, because a size found on an idle device is
 * too small for one at full clocks. Where the policy warms up at all it goes on while
 * the canary is far behind, for 2 s at most: an NVIDIA H200 that has idled for seconds may
 * still be at a fifth of its clock after 0.15 s of load.
 */
export async function warmUpAndCalibrate({
  prepared,
  policy,
  timer,
  nowNs,
  canary,
}: Sampler): Promise<{
  readonly dispatches: number;
  readonly samples: number;
}> {
  const targetNs = shortestSampleNs(policy, timer);
  const beganNs = nowNs();
  const spentNs = () => nowNs() - beganNs;
  const isSlow = async () =>
    policy.warmup.ns > 0 && spentNs() < LONGEST_WARM_UP_NS && (await canary?.isFarBehind());
  let dispatches = 1;
  for (let samples = 1; ; samples++) {
    const ns = await takeSample(prepared, dispatches, true);
    const next = nextDispatches(dispatches, ns, targetNs);
    const isWarm = samples >= policy.warmup.samples && spentNs() >= policy.warmup.ns;
    if (isWarm && next === dispatches && !(await isSlow())) return { dispatches, samples };
    dispatches = next;
  }
}

/**
 * The headline: samples go on through the buffer sets, so that each finds the
 * cache cold, until the policy's rule is content. Where results are ranked the canary is
 * looked at between batches; a batch after which the device is slow is discarded. When that
 * is more than half of all samples everything is kept and the series is `throttled`.
 */
export async function coldSeries(
  { prepared, policy, nowNs, canary: watched }: Sampler,
  dispatches: number,
): Promise<{
  readonly series: Series;
  readonly stop: StopReason;
  readonly discarded: Measurement['discarded'];
}> {
  const canary = policy.rankable ? watched : null;
  const rule = stoppingRule(policy, nowNs);
  const kept: number[] = [];
  const discarded: number[] = [];
  let stop: StopReason | null = null;
  rule.begin();
  while (!stop) {
    await canary?.coolDown();
    const batch = await takeBatch(prepared, dispatches, canary ? BATCH_NS : 0);
    if (await canary?.isThrottled()) {
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
    return { series: perDispatch([...kept, ...discarded]), stop: 'throttled', discarded: [] };
  }
  const why = 'the device had slowed down by more than 5%';
  return {
    series: perDispatch(kept),
    stop,
    discarded: discarded.length > 0 ? [{ count: discarded.length, why }] : [],
  };
}

/** The same buffers again and again, no longer than the policy's minimum: it is never ranked. */
export async function hotSeries(
  { prepared, policy, nowNs }: Sampler,
  dispatches: number,
): Promise<Series> {
  const rule = stoppingRule({ ...policy, rankable: false }, nowNs);
  const samplesNs: number[] = [];
  rule.begin();
  while (!rule.finished()) {
    const ns = await takeSample(prepared, dispatches, false);
    rule.add({ ns, dispatches });
    samplesNs.push(ns / dispatches);
  }
  return summarise(samplesNs);
}

/** Cold samples that together last `leastNs`; at least one. */
async function takeBatch(
  prepared: Prepared,
  dispatches: number,
  leastNs: number,
): Promise<number[]> {
  const batch: number[] = [];
  let totalNs = 0;
  do {
    const ns = await takeSample(prepared, dispatches, true);
    batch.push(ns);
    totalNs += ns;
  } while (totalNs < leastNs);
  return batch;
}

/**
 * Time of one sample, ns. Throws Error when the device's clock says that no time
 * has passed, or more than by the clock on the wall.
 */
async function takeSample(
  prepared: Prepared,
  dispatches: number,
  rotate: boolean,
): Promise<number> {
  const { ns, wallNs } = await prepared.sample({ dispatches, rotate });
  if (!(ns > 0 && ns <= wallNs)) {
    throw new Error(
      `the timer is broken: it gave ${ns} ns for ${dispatches} dispatches in ${wallNs} ns of wall time`,
    );
  }
  return ns;
}
