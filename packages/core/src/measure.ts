import {
  CompileError,
  DeviceFault,
  type Executor,
  feasible,
  inputTensors,
  kernelById,
  type Prepared,
  type Problem,
  type Timer,
  type Variant,
  verify,
  type WorstElement,
} from '@tilemark/kernels';
import { bufferSetsFor, nextDispatches, shortestSampleNs } from './calibrate';
import type { DeviceCapabilities, DeviceClass } from './device';
import {
  METHODOLOGY_VERSION,
  type Outcome,
  type Series,
  type STAGES,
  type StopReason,
  type Verification,
} from './outcome';
import type { Policy } from './policy';
import { unrankedReason } from './rank';
import { summarise } from './stats';
import { stoppingRule } from './stopping';

/** What a run is doing, in the order it does it. */
export type Step = 'compile' | 'verify' | 'warm-up' | 'cold' | 'hot' | 'verify-again';

/** What measuring has to know of the machine around the device. */
export interface Surroundings {
  readonly deviceClass: DeviceClass;
  /** Null where it is not known. */
  readonly lastLevelCacheBytes: number | null;
  /** A monotonic clock, ns. */
  readonly nowNs: () => number;
  readonly onStep?: (step: Step) => void;
}

/** Seed of every run's inputs: all results of a problem are of the same numbers. */
const SEED = 1;

/**
 * Proves a variant correct on a problem, measures it, and proves it again: the
 * protocol of docs/measurement.md. Every run ends in exactly one outcome; the
 * only error thrown is `DeviceFault`, after which the executor is of no use.
 */
export async function runVariant(
  executor: Executor,
  variant: Variant,
  problem: Problem,
  policy: Policy,
  capabilities: DeviceCapabilities,
  surroundings: Surroundings,
): Promise<Outcome> {
  const fit = feasible(variant, problem, capabilities);
  if (!fit.ok) return { kind: 'skipped', why: fit.why };

  const { deviceClass, lastLevelCacheBytes, nowNs, onStep } = surroundings;
  let stage: (typeof STAGES)[number] = 'prepare';
  let prepared: Prepared | null = null;
  try {
    onStep?.('compile');
    const bufferSets = bufferSetsFor(problem, lastLevelCacheBytes);
    prepared = await executor.prepare(variant, problem, { seed: SEED, bufferSets });

    stage = 'verify';
    onStep?.('verify');
    const check = checker(variant, problem, nowNs);
    await prepared.poison();
    await prepared.sample({ dispatches: 1, rotate: false });
    const before = await check(prepared);
    if (before.worst) return { kind: 'incorrect', when: 'before', worst: before.worst };

    stage = 'measure';
    onStep?.('warm-up');
    const sampler = { prepared, policy, timer: executor.timer, nowNs };
    const warmUp = await warmUpAndCalibrate(sampler);

    onStep?.('cold');
    await prepared.poison();
    const cold = await coldSeries(sampler, warmUp.dispatches);

    let hot: Series | null = null;
    if (prepared.bufferSets > 1) {
      onStep?.('hot');
      await prepared.poison();
      hot = await hotSeries(sampler, warmUp.dispatches);
    }

    stage = 'verify';
    onStep?.('verify-again');
    const after = await check(prepared);
    if (after.worst) return { kind: 'incorrect', when: 'after', worst: after.worst };

    return {
      kind: 'measured',
      measurement: {
        methodologyVersion: METHODOLOGY_VERSION,
        policy: policy.id,
        timer: executor.timer,
        dispatchesPerSample: warmUp.dispatches,
        bufferSets: prepared.bufferSets,
        cold: cold.series,
        hot,
        compileNs: prepared.compileNs,
        transfer: { hostToDeviceNs: prepared.uploadNs, deviceToHostNs: before.downloadNs },
        stop: cold.stop,
        discarded: [{ count: warmUp.samples, why: 'warm-up' }],
        verification: { before: before.verification, after: after.verification },
        unranked: unrankedReason({
          policy,
          timer: executor.timer,
          deviceClass,
          cold: cold.series,
          stop: cold.stop,
        }),
      },
    };
  } catch (error) {
    if (error instanceof DeviceFault) throw error;
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'failed', stage: error instanceof CompileError ? 'compile' : stage, message };
  } finally {
    prepared?.destroy();
  }
}

interface Sampler {
  readonly prepared: Prepared;
  readonly policy: Policy;
  readonly timer: Timer;
  readonly nowNs: () => number;
}

interface Check {
  /** Null when the output is right. */
  readonly worst: WorstElement | null;
  readonly verification: Verification;
  readonly downloadNs: number;
}

/**
 * Compares the output of the first buffer set with the reference. It was
 * poisoned before the dispatches that are checked, so what is right was written
 * by them. The inputs are made once, for the checks before and after.
 */
function checker(variant: Variant, problem: Problem, nowNs: () => number) {
  const inputs = inputTensors(problem, { seed: SEED });
  const { computes } = kernelById(variant.kernel);
  return async (prepared: Prepared): Promise<Check> => {
    const { output, downloadNs } = await prepared.readOutput(0);
    const beganNs = nowNs();
    const { method, checked, worst, worstRatio } = verify(problem, inputs, output, { computes });
    const ns = nowNs() - beganNs;
    return { worst, verification: { method, worstRatio, checked, ns }, downloadNs };
  };
}

/**
 * Brings clocks and caches to their working state, and grows the sample until
 * the timer resolves it: both at once, because a size found on an idle device is
 * too small for one at full clocks.
 */
async function warmUpAndCalibrate({ prepared, policy, timer, nowNs }: Sampler): Promise<{
  dispatches: number;
  samples: number;
}> {
  const targetNs = shortestSampleNs(policy, timer);
  const beganNs = nowNs();
  let dispatches = 1;
  for (let samples = 1; ; samples++) {
    const { ns } = await takeSample(prepared, dispatches, true);
    const next = nextDispatches(dispatches, ns, targetNs);
    const isWarm = samples >= policy.warmup.samples && nowNs() - beganNs >= policy.warmup.ns;
    if (isWarm && next === dispatches) return { dispatches, samples };
    dispatches = next;
  }
}

/** The headline: every sample goes on through the buffer sets, so that the cache starts cold. */
async function coldSeries(
  { prepared, policy, nowNs }: Sampler,
  dispatches: number,
): Promise<{ series: Series; stop: StopReason }> {
  return sampleUntil(policy, nowNs, dispatches, () => takeSample(prepared, dispatches, true));
}

/** The same buffers again and again, no longer than the policy's minimum: it is never ranked. */
async function hotSeries(
  { prepared, policy, nowNs }: Sampler,
  dispatches: number,
): Promise<Series> {
  const shortest: Policy = { ...policy, rankable: false };
  const { series } = await sampleUntil(shortest, nowNs, dispatches, () =>
    takeSample(prepared, dispatches, false),
  );
  return series;
}

async function sampleUntil(
  policy: Policy,
  nowNs: () => number,
  dispatches: number,
  sample: () => Promise<{ ns: number }>,
): Promise<{ series: Series; stop: StopReason }> {
  const rule = stoppingRule(policy, nowNs);
  const samplesNs: number[] = [];
  rule.begin();
  for (;;) {
    const { ns } = await sample();
    if (!(ns > 0)) throw new Error(`the timer gave ${ns} ns for ${dispatches} dispatches`);
    samplesNs.push(ns / dispatches);
    rule.add({ ns, dispatches });
    const stop = rule.finished();
    if (stop) return { series: summarise(samplesNs), stop };
  }
}

/** One sample, refused when the device's clock reports more time than has passed. */
async function takeSample(prepared: Prepared, dispatches: number, rotate: boolean) {
  const sample = await prepared.sample({ dispatches, rotate });
  if (!(sample.ns <= sample.wallNs)) {
    throw new Error(
      `the timer is broken: ${sample.ns} ns of device time in ${sample.wallNs} ns of wall time`,
    );
  }
  return sample;
}
