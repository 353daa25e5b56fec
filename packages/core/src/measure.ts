import {
  CompileError,
  DeviceFault,
  type Executor,
  elements,
  feasible,
  kernelById,
  OutOfBoundsWrite,
  type Output,
  type OutputCheck,
  opOf,
  type Prepared,
  type Problem,
  type Variant,
  type WorstElement,
} from '@tilemark/kernels';
import { bufferSetsFor, setBytes } from './calibrate';
import { Checks, INPUT_SEED } from './checks';
import type { DeviceCapabilities, DeviceClass } from './device';
import {
  type Clocks,
  METHODOLOGY_VERSION,
  type Outcome,
  type Series,
  type STAGES,
  type Verification,
} from './outcome';
import type { Policy } from './policy';
import { unrankedReason } from './rank';
import { PLAUSIBLE_PART, type Roof, type Roofline } from './roofline';
import { sameBytes } from './same-bytes';
import { coldSeries, hotSeries, type Sampler, warmUpAndCalibrate } from './series';
import type { Canary } from './throttle';

/** What a run is doing, in the order it does it. */
export type Step = 'compile' | 'verify' | 'warm-up' | 'cold' | 'hot' | 'verify-again' | 'roof';

/** What measuring has to know of the machine around the device. */
export interface Surroundings {
  readonly deviceClass: DeviceClass;
  /** Null where it is not known. */
  readonly lastLevelCacheBytes: number | null;
  /** A monotonic clock, ns. */
  readonly nowNs: () => number;
  /** Absent: results are not compared with what the device can do. */
  readonly roofline?: Roofline;
  /** Absent: throttling is not watched for. */
  readonly canary?: Canary | null;
  /** What the driver says of the device's clocks; absent where nothing says it. */
  readonly readClocks?: () => Promise<Clocks | null>;
  readonly onStep?: (step: Step) => void;
  /** Absent: inputs and references are made anew for each run. */
  readonly checks?: Checks;
}

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

  const { deviceClass, lastLevelCacheBytes, nowNs, roofline, onStep } = surroundings;
  let stage: (typeof STAGES)[number] = 'prepare';
  let prepared: Prepared | null = null;
  try {
    onStep?.('compile');
    const bufferSets = bufferSetsFor(problem, lastLevelCacheBytes);
    prepared = await executor.prepare(variant, problem, {
      seed: INPUT_SEED,
      bufferSets,
      timeUpload: policy.timeUpload,
    });

    stage = 'verify';
    onStep?.('verify');
    const check = checker(variant, problem, surroundings);
    await prepared.poison();
    await prepared.sample({ dispatches: 1, rotate: false });
    const first = await lastOutput(prepared);
    const before = await check(first);
    if (before.worst) return { kind: 'incorrect', when: 'before', worst: before.worst };

    stage = 'measure';
    onStep?.('warm-up');
    const sampler: Sampler = {
      prepared,
      policy,
      timer: executor.timer,
      nowNs,
      canary: surroundings.canary ?? null,
    };
    const warmUp = await warmUpAndCalibrate(sampler);

    onStep?.('cold');
    await prepared.poison();
    // Asking takes as long as a quick policy's samples.
    const readClocks = async () => (policy.rankable ? await surroundings.readClocks?.() : null);
    const clocksBefore = await readClocks();
    const cold = await coldSeries(sampler, warmUp.dispatches);
    const clocksAfter = await readClocks();
    // Compared after the hot series: meanwhile the device would idle, and its clocks fall.
    const coldOutput = await lastOutput(prepared);

    let hot: Series | null = null;
    let hotOutput: Output | null = null;
    if (policy.hot && prepared.bufferSets > 1) {
      onStep?.('hot');
      await prepared.poison();
      hot = await hotSeries(sampler, warmUp.dispatches);
      hotOutput = await lastOutput(prepared);
    }

    stage = 'verify';
    onStep?.('verify-again');
    const after = await check(coldOutput);
    const worst = after.worst ?? (hotOutput && (await check(hotOutput)).worst);
    if (worst) return { kind: 'incorrect', when: 'after', worst };

    let roof: Roof | null = null;
    if (roofline && policy.rankable) {
      stage = 'measure';
      onStep?.('roof');
      roof = await roofOver(variant, problem, cold.series, bufferSets, roofline);
    }

    return {
      kind: 'measured',
      measurement: {
        methodologyVersion: METHODOLOGY_VERSION,
        policy: policy.id,
        timer: executor.timer,
        dispatchesPerSample: warmUp.dispatches,
        bufferSets,
        cold: cold.series,
        hot,
        compileNs: prepared.compileNs,
        transfer: { hostToDeviceNs: prepared.uploadNs, deviceToHostNs: first.downloadNs },
        stop: cold.stop,
        discarded: [{ count: warmUp.samples, why: 'warm-up' }, ...cold.discarded],
        verification: { before: before.verification, after: after.verification },
        roof,
        clocks: clocksBefore && clocksAfter ? { before: clocksBefore, after: clocksAfter } : null,
        unranked: unrankedReason({
          kernel: kernelById(variant.kernel),
          policy,
          timer: executor.timer,
          deviceClass,
          cold: cold.series,
          stop: cold.stop,
          roof,
        }),
      },
    };
  } catch (error) {
    if (error instanceof DeviceFault) throw error;
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'failed', stage: stageOf(error) ?? stage, message };
  } finally {
    prepared?.destroy();
  }
}

/** The stage of an error that happens at one stage only, wherever it comes to light. */
function stageOf(error: unknown): (typeof STAGES)[number] | null {
  if (error instanceof CompileError) return 'compile';
  return error instanceof OutOfBoundsWrite ? 'verify' : null;
}

/** What the last dispatch wrote; throws OutOfBoundsWrite when that was too much. */
async function lastOutput(prepared: Prepared): Promise<Output> {
  return prepared.readOutput(prepared.lastSet);
}

interface Check {
  /** Null when the output is right. */
  readonly worst: WorstElement | null;
  readonly verification: Verification;
}

/**
 * Compares outputs with the reference. They were poisoned before the dispatches
 * that are checked, so what is right was written by them. An output that is bit for bit
 * the one before it is as right as that.
 */
function checker(
  variant: Variant,
  problem: Problem,
  { nowNs, checks = new Checks() }: Surroundings,
) {
  const kernel = kernelById(variant.kernel);
  let made: OutputCheck | null = null;
  let right: { readonly bytes: Uint8Array; readonly worstRatio: number } | null = null;
  return async ({ bytes, tensor }: Output): Promise<Check> => {
    // The first check pays for the inputs and what follows from them.
    const beganNs = nowNs();
    if (right && sameBytes(right.bytes, bytes)) {
      const { worstRatio } = right;
      const checked = elements(opOf(problem).output(problem.shape));
      const ns = nowNs() - beganNs;
      return { worst: null, verification: { method: 'identical', worstRatio, checked, ns } };
    }
    made ??= await checks.of(problem, kernel);
    const { method, checked, worst, worstRatio } = made(tensor());
    const ns = nowNs() - beganNs;
    if (!worst) right = { bytes, worstRatio };
    return { worst, verification: { method, worstRatio, checked, ns } };
  };
}

/** The roof over a result. One that is faster is first taken as a doubt about the roof. */
async function roofOver(
  variant: Variant,
  problem: Problem,
  cold: Series,
  bufferSets: number,
  roofline: Roofline,
): Promise<Roof | null> {
  const workingSetBytes = bufferSets * setBytes(problem);
  const roof = await roofline.roofOf(variant, problem, workingSetBytes);
  if (!roof || cold.medianNs >= PLAUSIBLE_PART * roof.ns) return roof;
  await roofline.doubt(roof, problem, workingSetBytes);
  return roofline.roofOf(variant, problem, workingSetBytes);
}
