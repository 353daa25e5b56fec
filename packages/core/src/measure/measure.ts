/**
 * Measuring: how a number comes about, from a compiled kernel to a result that can be trusted.
 * docs/measurement.md explains the protocol; `runVariant` below is its list of steps.
 *
 * Where to change what:
 * - when a series has enough samples (the stopping rule): stopping.ts, with its limits per
 *   policy in policy.ts
 * - two variants that take turns: duel.ts
 * - warm-up, cold and hot series: series.ts; how many dispatches are in a sample, and how many
 *   buffer sets rotate: calibrate.ts
 * - noticing that the device throttles: throttle.ts
 * - what a browser's tab must not begin: foresee.ts
 * - holding the device's clock to the wall clock: clock.ts
 * - energy per dispatch: energy.ts
 * - medians, intervals, CV: stats.ts
 * - why a result is not ranked, and outliers: trust.ts; what the device can do at most:
 *   roofline.ts
 * - correctness of outputs: what is verified when in proof.ts, by inputs and choices drawn in
 *   seed.ts; how, and the bounds, in @tilemark/kernels
 * - what is recorded: outcome.ts; of what: device.ts
 *
 * A change that moves numbers raises METHODOLOGY_VERSION. Nothing here opens a device: the
 * executor, the clock and the canary are handed in, so that tests play all three.
 */
import {
  CompileError,
  DeviceFault,
  type Executor,
  feasible,
  kernelById,
  OutOfBoundsWrite,
  type Prepared,
  type Problem,
  ReferenceWrong,
  type Variant,
} from '@tilemark/kernels';
import { bufferSetsFor, LONG_PASS_IN_BROWSER_NS, setBytes } from './calibrate';
import { regressClock } from './clock';
import { type DeviceCapabilities, type DeviceClass, sharesHost } from './device';
import { type Energy, type EnergyMeter, measureEnergy } from './energy';
import { tooLong } from './foresee';
import {
  type Clocks,
  METHODOLOGY_VERSION,
  type Outcome,
  type Series,
  type STAGES,
} from './outcome';
import type { Policy } from './policy';
import { Proof, WrongOutput } from './proof';
import { PLAUSIBLE_PART, type Roof, type Roofline } from './roofline';
import { drawSeed, secretsOf } from './seed';
import { coldSeries, hotSeries, type Sampler, warmUpAndCalibrate } from './series';
import type { Canary, ClockReading } from './throttle';
import { MAX_FRESH_RATIO, unrankedReason } from './trust';

/** How often at most a dispatch on new inputs is timed for a result that may be ranked. */
const FRESH_ROUNDS = 3;

/** What a run is doing, in the order in which it does it. */
export type Step =
  | 'compile'
  /** Of a contributed kernel: from one workgroup up. */
  | 'trial'
  | 'verify'
  | 'warm-up'
  | 'cold'
  | 'hot'
  | 'energy'
  | 'verify-again'
  | 'roof';

/** What measuring needs to know about the machine around the device. */
export interface Surroundings {
  readonly deviceClass: DeviceClass;
  /** Null if unknown. */
  readonly lastLevelCacheBytes: number | null;
  /** A monotonic clock, ns. */
  readonly nowNs: () => number;
  /** Absent: results are not compared with what the device can do. */
  readonly roofline?: Roofline;
  /** Absent: nothing watches for throttling. */
  readonly canary?: Canary | null;
  /** What the driver reports about the device's clocks; absent if nothing reports them. */
  readonly readClocks?: () => Promise<Clocks | null>;
  /** What the driver last reported of them, without waiting; absent if nothing watches them. */
  readonly watchClocks?: () => ClockReading | null;
  /** Opens the device's energy counter; null or absent if there is none. */
  readonly energyMeter?: () => Promise<EnergyMeter | null>;
  /** Of the process; see `Measurement.invocation`. */
  readonly invocation?: string;
  readonly onStep?: (step: Step) => void;
  /** Of the inputs and of what is checked (seed.ts); absent: drawn here. */
  readonly seed?: number;
}

/**
 * Proves a variant correct on a problem, and while and after it is measured: the protocol of
 * docs/measurement.md. Every run ends in exactly one outcome; the only error thrown is
 * `DeviceFault`, after which the executor cannot be used.
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

  const { deviceClass, lastLevelCacheBytes, nowNs, roofline, onStep } = surroundings;
  const { canary = null, seed = drawSeed() } = surroundings;
  const { timer } = executor;
  const kernel = kernelById(variant.kernel);
  let stage: (typeof STAGES)[number] = 'prepare';
  const longestNs = deviceClass === 'browser' ? LONG_PASS_IN_BROWSER_NS : undefined;
  let prepared: Prepared | null = null;
  try {
    onStep?.('compile');
    const why = longestNs && (await tooLong(executor, variant, problem, capabilities, longestNs));
    if (why) return { kind: 'skipped', why };
    const bufferSets = bufferSetsFor(problem, lastLevelCacheBytes);
    const secrets = secretsOf(seed);
    const drawn = { seed: secrets('inputs'), secrets };
    const options = { ...drawn, bufferSets, timeUpload: policy.timeUpload };
    prepared = await executor.prepare(variant, problem, options);
    const { downloadNs } = await prepared.readOutput(0);

    stage = 'verify';
    onStep?.('verify');
    const proof = new Proof(prepared, secrets, nowNs);
    const before = await proof.first();

    stage = 'measure';
    onStep?.('warm-up');
    const { watchClocks } = surroundings;
    const watched = watchClocks && { clocks: watchClocks };
    const sampler: Sampler = {
      prepared: proof.sampler,
      policy,
      timer,
      longestNs,
      nowNs,
      canary,
      ...watched,
    };
    const warmUp = await warmUpAndCalibrate(sampler);
    await proof.proved();

    const isClocked = timer.kind === 'timestamp' && policy.rankable;
    const clock = isClocked
      ? await regressClock(proof.sampler, warmUp.dispatches, warmUp.sampleNs, longestNs)
      : null;

    onStep?.('cold');
    await proof.beforeSeries({ isCold: true });
    // Asking the driver takes as long as the samples of a quick policy.
    const readClocks = async () => (policy.rankable ? await surroundings.readClocks?.() : null);
    const clocksBefore = await readClocks();
    const cold = await coldSeries(sampler, warmUp.dispatches);
    const clocksAfter = await readClocks();
    // On the device, so that it does not idle before the hot series.
    const after = await proof.afterCold();

    let hot: Series | null = null;
    if (policy.hot && prepared.bufferSets > 1) {
      onStep?.('hot');
      await proof.beforeSeries({ isCold: false });
      hot = await hotSeries(sampler, warmUp.dispatches);
      await proof.afterHot();
    }

    let energy: Energy | null = null;
    const meter = policy.energy ? ((await surroundings.energyMeter?.()) ?? null) : null;
    if (policy.energy && meter) {
      onStep?.('energy');
      await proof.beforeSeries({ isCold: false });
      const load = { prepared: proof.sampler, nowNs, eachNs: cold.series.medianNs };
      energy = await measureEnergy(load, meter, policy.energy).finally(() => meter.close());
      if (energy) await proof.afterCold();
    }

    onStep?.('verify-again');
    const freshNs = await proof.onFreshInputs(
      warmUp.dispatches,
      policy.rankable ? FRESH_ROUNDS : 1,
      MAX_FRESH_RATIO * cold.series.medianNs,
    );
    const freshRatio = policy.rankable ? freshNs / cold.series.medianNs : null;

    let roof: Roof | null = null;
    if (roofline && policy.rankable) {
      stage = 'measure';
      onStep?.('roof');
      roof = await roofOver(variant, problem, cold.series, bufferSets, roofline, deviceClass);
    }

    const judged = {
      ...{ kernel, policy, timer, deviceClass, cold: cold.series, stop: cold.stop, roof },
      freshRatio,
      clock,
    };
    return {
      kind: 'measured',
      measurement: {
        methodologyVersion: METHODOLOGY_VERSION,
        policy: policy.id,
        ...(surroundings.invocation && { invocation: surroundings.invocation }),
        timer,
        clock,
        dispatchesPerSample: warmUp.dispatches,
        bufferSets,
        cold: cold.series,
        hot,
        compileNs: prepared.compileNs,
        transfer: { hostToDeviceNs: prepared.uploadNs, deviceToHostNs: downloadNs },
        stop: cold.stop,
        discarded: [{ count: warmUp.samples, why: 'warm-up' }, ...cold.discarded],
        ...(cold.batches.length > 0 && { batches: [...cold.batches] }),
        verification: {
          before,
          after,
          seed,
          dispatches: proof.dispatches,
          rms: proof.rms,
          freshRatio,
          ns: proof.spentNs,
        },
        roof,
        ...(policy.energy && { energy }),
        clocks: clocksBefore && clocksAfter ? { before: clocksBefore, after: clocksAfter } : null,
        unranked: unrankedReason(judged),
      },
    };
  } catch (error) {
    if (error instanceof DeviceFault) throw error;
    if (error instanceof WrongOutput) return error.outcome;
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'failed', stage: stageOf(error) ?? stage, message };
  } finally {
    prepared?.destroy();
  }
}

/** The stage of an error that can only happen at one stage, wherever it surfaces. */
function stageOf(error: unknown): (typeof STAGES)[number] | null {
  if (error instanceof CompileError) return 'compile';
  const isOfProof = error instanceof OutOfBoundsWrite || error instanceof ReferenceWrong;
  return isOfProof ? 'verify' : null;
}

/**
 * The roof over a result. A result above it first casts doubt on the roof, which is probed again. On
 * a device that the machine shares, where the probe may be what was disturbed, a result that is still
 * above it raises it.
 */
export async function roofOver(
  variant: Variant,
  problem: Problem,
  cold: Pick<Series, 'medianNs'>,
  bufferSets: number,
  roofline: Roofline,
  deviceClass: DeviceClass,
): Promise<Roof | null> {
  const workingSetBytes = bufferSets * setBytes(problem);
  const roof = await roofline.roofOf(variant, problem, workingSetBytes);
  if (!roof || cold.medianNs >= PLAUSIBLE_PART * roof.ns) return roof;
  await roofline.doubt(roof, problem, workingSetBytes);
  if (sharesHost(deviceClass)) roofline.raise(variant, problem, workingSetBytes, cold.medianNs);
  return roofline.roofOf(variant, problem, workingSetBytes);
}
