/**
 * Measuring: how a number comes about, from a compiled kernel to a result that can be trusted.
 * docs/measure.md explains the protocol; `runVariant` below is its list of steps.
 *
 * Where to change what:
 * - when a series has enough samples (the stopping rule): stopping.ts, with its limits per
 *   policy in policy.ts
 * - two variants that take turns: duel.ts
 * - warm-up, cold and hot series: series.ts; how many dispatches are in a sample, and how many
 *   buffer sets rotate: calibrate.ts
 * - noticing that the device throttles: throttle.ts
 * - what a browser's tab must not begin: foresee.ts
 * - energy per dispatch: measure-energy.ts
 * - medians, intervals, CV, verdicts on ratios: ../statistics/
 * - why a result is not ranked: trust.ts; what the device can do at most:
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
  NoMemoryToVerify,
  OutOfBoundsWrite,
  type Prepared,
  type Problem,
  ReferenceWrong,
  type Variant,
} from '@tilemark/kernels';
import { MAXIMA } from '../schema/maxima';
import type { Series } from '../statistics/summary';
import { bufferSetsFor, LONG_PASS_IN_BROWSER_NS, roundingNs, setBytes } from './calibrate';
import { type DeviceCapabilities, type DeviceClass, sharesHost } from './device';
import type { Energy, EnergyMeter } from './energy';
import { tooLong } from './foresee';
import { measureEnergy } from './measure-energy';
import { type Clocks, METHODOLOGY_VERSION, type Outcome, type STAGES } from './outcome';
import type { Policy } from './policy';
import { Proof, WrongOutput } from './proof';
import { PLAUSIBLE_PART, type Roof, type Roofline } from './roofline';
import { drawSeed, secretsOf } from './seed';
import { coldSeries, hotSeries, type Sampler, warmUpAndCalibrate } from './series';
import type { Canary } from './throttle';
import { MAX_FRESH_RATIO, rankability } from './trust';

/** The steps of a run, in order. */
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

/** The machine around the device, as far as measuring needs it. */
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
  /** What the driver last reported of the device's clocks; absent if nothing watches them. */
  readonly readClocks?: () => Clocks | null;
  /** Frees on the host what earlier runs left; absent: nothing can. */
  readonly collectGarbage?: () => Promise<void>;
  /** Opens the device's energy counter; null or absent if there is none. */
  readonly energyMeter?: () => Promise<EnergyMeter | null>;
  /** Of the process; see `Measurement.invocation`. */
  readonly invocation?: string;
  readonly onStep?: (step: Step) => void;
  /** Reason for which no result of the device is ranked; null or absent: its results are ranked as others are. */
  readonly unranked?: string | null;
  /** Of the inputs and of what is checked (seed.ts); absent: drawn here. */
  readonly seed?: number;
}

/** What all steps of a run know. */
interface Attempt {
  readonly executor: Executor;
  readonly variant: Variant;
  readonly problem: Problem;
  readonly policy: Policy;
  readonly capabilities: DeviceCapabilities;
  readonly surroundings: Surroundings;
  readonly seed: number;
  readonly bufferSets: number;
  /** Passes stay under this, ns. */
  readonly longestNs: number | undefined;
  /** Where an error is said to have happened. */
  stage: (typeof STAGES)[number];
  prepared: Prepared | null;
}

/**
 * Verifies a variant on a problem before, while and after it is measured: the protocol of
 * docs/measure.md. Every run ends in exactly one outcome; the only error thrown is
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
  const { deviceClass, lastLevelCacheBytes, seed = drawSeed() } = surroundings;
  const run: Attempt = {
    executor,
    variant,
    problem,
    policy,
    capabilities,
    surroundings,
    seed,
    bufferSets: bufferSetsFor(problem, lastLevelCacheBytes),
    longestNs: deviceClass === 'browser' ? LONG_PASS_IN_BROWSER_NS : undefined,
    stage: 'prepare',
    prepared: null,
  };
  try {
    // A quick policy's runs take as long as that.
    if (policy.rankable) await surroundings.collectGarbage?.();
    const why = await infeasible(run);
    if (why !== null) return { kind: 'skipped', why };
    const prepared = await prepare(run);
    const verified = await verify(run, prepared);
    const warm = await warmUp(run, verified);
    const cold = await measureCold(run, warm);
    const hot = await measureHot(run, warm);
    const energy = await measureEnergyOf(run, warm, cold);
    const freshRatio = await verifyAgain(run, warm);
    const roof = await compareWithRoof(run, cold);
    return measured(run, { prepared, verified, warm, cold, hot, energy, freshRatio, roof });
  } catch (error) {
    const { invocation } = surroundings;
    const ended = endedBy(error, run.stage);
    if (ended.kind !== 'incorrect') return ended;
    return { ...ended, ...(invocation && { invocation }), ...remarksOf(run.prepared ?? {}) };
  } finally {
    run.prepared?.destroy();
  }
}

/** Why the device cannot run the variant, or a browser should not; null if nothing speaks against it. */
async function infeasible(run: Attempt): Promise<string | null> {
  const { capabilities, executor, longestNs, problem, surroundings, variant } = run;
  const fit = feasible(variant, problem, capabilities);
  if (!fit.ok) return fit.why;
  surroundings.onStep?.('compile');
  if (longestNs === undefined) return null;
  return tooLong(executor, variant, problem, capabilities, longestNs);
}

/** Compiles, allocates, and fills the inputs. */
async function prepare(run: Attempt) {
  const { bufferSets, executor, policy, problem, seed, variant } = run;
  const secrets = secretsOf(seed);
  const drawn = { seed: secrets('inputs'), secrets };
  const options = { ...drawn, bufferSets, timeUpload: policy.timeUpload };
  const prepared = await executor.prepare(variant, problem, options);
  run.prepared = prepared;
  const { downloadNs } = await prepared.readOutput(0);
  return { prepared, secrets, downloadNs };
}

/** The first outputs, and those of a stretch of dispatches, which the warm-up begins with. */
async function verify(run: Attempt, { prepared, secrets }: Awaited<ReturnType<typeof prepare>>) {
  const { nowNs, onStep } = run.surroundings;
  run.stage = 'verify';
  onStep?.('verify');
  const proof = new Proof(prepared, secrets, nowNs);
  const before = await proof.first();
  const isRepeatable = await proof.repeats(run.policy.repeats);
  const warmSinceNs = nowNs();
  await proof.stretch(run.policy.stretch);
  return { proof, before, isRepeatable, warmSinceNs };
}

/** Runs until the clocks are up and the timer resolves a sample. */
async function warmUp(run: Attempt, { proof, warmSinceNs }: Awaited<ReturnType<typeof verify>>) {
  const { executor, longestNs, policy, surroundings } = run;
  const { canary = null, nowNs, onStep, readClocks } = surroundings;
  const { timer } = executor;
  run.stage = 'measure';
  onStep?.('warm-up');
  const sampler: Sampler = {
    prepared: proof.sampler,
    policy,
    timer,
    longestNs,
    nowNs,
    canary,
    ...(readClocks && { clocks: readClocks }),
  };
  const { dispatches, samples } = await warmUpAndCalibrate(sampler, warmSinceNs);
  return { proof, sampler, dispatches, samples };
}

type Warm = Awaited<ReturnType<typeof warmUp>>;

/** The headline, with new inputs all the while and outputs verified on the spot. */
async function measureCold(run: Attempt, { proof, sampler, dispatches }: Warm) {
  const { policy, surroundings } = run;
  surroundings.onStep?.('cold');
  const looks = policy.rankable ? Number.POSITIVE_INFINITY : 1;
  await proof.beforeSeries({ looks, isRepeated: tellsFreshness(run) });
  const readClocks = () => surroundings.readClocks?.() ?? null;
  const before = readClocks();
  const cold = await coldSeries(sampler, dispatches);
  const after = readClocks();
  // On the device, so that it does not idle before the hot series.
  const last = await proof.afterCold(dispatches);
  return { ...cold, clocks: before && after ? { before, after } : null, last };
}

type Cold = Awaited<ReturnType<typeof measureCold>>;

/** Measures with one output, and as few inputs as are new for each dispatch; null if not asked for. */
async function measureHot(
  { bufferSets, policy, surroundings }: Attempt,
  { proof, sampler, dispatches }: Warm,
): Promise<Series | null> {
  if (!policy.hot || bufferSets === 1) return null;
  surroundings.onStep?.('hot');
  await proof.beforeSeries({ looks: 0, isRepeated: false });
  const series = await hotSeries(sampler, dispatches);
  await proof.afterHot(dispatches);
  return series;
}

/** Measures energy; null if not asked for, or unreadable. */
async function measureEnergyOf(
  { policy, surroundings }: Attempt,
  { proof, dispatches }: Warm,
  { series }: Cold,
): Promise<Energy | null> {
  const meter = policy.energy ? await surroundings.energyMeter?.() : null;
  if (!policy.energy || !meter) return null;
  surroundings.onStep?.('energy');
  await proof.beforeSeries({ looks: 0, isRepeated: false });
  const load = { prepared: proof.sampler, nowNs: surroundings.nowNs, eachNs: series.medianNs };
  const energy = await measureEnergy(load, meter, policy.energy).finally(() => meter.close());
  if (energy) await proof.afterCold(dispatches);
  return energy;
}

/** Whether it is asked, of what may be ranked, and the clock can tell, if a kernel keeps results. */
const tellsFreshness = ({ executor, policy }: Pick<Attempt, 'executor' | 'policy'>): boolean =>
  policy.rankable && roundingNs(executor.timer) === 0;

/** Whether the kernel keeps results; null where it is not told. */
async function verifyAgain(run: Attempt, { proof, dispatches }: Warm): Promise<number | null> {
  if (!tellsFreshness(run)) return null;
  run.surroundings.onStep?.('verify-again');
  return proof.freshRatio(MAX_FRESH_RATIO, dispatches);
}

async function compareWithRoof(
  { bufferSets, policy, problem, surroundings, variant }: Attempt,
  { series }: Cold,
): Promise<Roof | null> {
  const { deviceClass, onStep, roofline } = surroundings;
  if (!roofline || !policy.rankable) return null;
  onStep?.('roof');
  return roofOver(variant, problem, series, bufferSets, roofline, deviceClass);
}

const remarksOf = ({ remarks = [] }: Partial<Prepared>) =>
  remarks.length > 0 && { remarks: remarks.slice(0, MAXIMA.remarks) };

/** The outcome of a run that came through all steps. */
function measured(
  { bufferSets, executor, policy, problem, seed, surroundings, variant }: Attempt,
  found: {
    readonly prepared: Awaited<ReturnType<typeof prepare>>;
    readonly verified: Awaited<ReturnType<typeof verify>>;
    readonly warm: Warm;
    readonly cold: Cold;
    readonly hot: Series | null;
    readonly energy: Energy | null;
    readonly freshRatio: number | null;
    readonly roof: Roof | null;
  },
): Outcome {
  const { cold, energy, freshRatio, hot, prepared, verified, roof, warm } = found;
  const { deviceClass, invocation } = surroundings;
  const { timer } = executor;
  const { proof } = verified;
  const { compileNs, uploadNs } = prepared.prepared;
  const judged = {
    kernel: kernelById(variant.kernel),
    policy,
    timer,
    deviceClass,
    cold: cold.series,
    stop: cold.stop,
    hot,
    roof,
    freshRatio,
    problem,
  };
  return {
    kind: 'measured',
    ...remarksOf(prepared.prepared),
    measurement: {
      methodologyVersion: METHODOLOGY_VERSION,
      policy: policy.id,
      ...(invocation && { invocation }),
      timer,
      dispatchesPerSample: warm.dispatches,
      bufferSets,
      cold: cold.series,
      hot,
      compileNs,
      transfer: { hostToDeviceNs: uploadNs, deviceToHostNs: prepared.downloadNs },
      stop: cold.stop,
      discarded: [{ count: warm.samples, why: 'warm-up' }, ...cold.discarded],
      ...(cold.batches.length > 0 && { batches: [...cold.batches] }),
      verification: {
        before: verified.before,
        after: cold.last,
        seed,
        freshRatio,
        dispatches: proof.dispatches,
        rms: proof.rms,
        ...(verified.isRepeatable !== null && { isRepeatable: verified.isRepeatable }),
        ns: proof.spentNs,
      },
      roof,
      ...(policy.energy && { energy }),
      clocks: cold.clocks,
      ...(surroundings.unranked
        ? { unranked: surroundings.unranked, disbelieved: false }
        : rankability(judged)),
    },
  };
}

/**
 * How what was measured ends by an error; `DeviceFault` is thrown on. Some errors can only happen at one
 * stage, wherever they surface.
 */
export function endedBy(error: unknown, stage: (typeof STAGES)[number]): Outcome {
  if (error instanceof DeviceFault) throw error;
  if (error instanceof WrongOutput) return error.outcome;
  if (error instanceof NoMemoryToVerify) return { kind: 'skipped', why: error.message };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof CompileError) return { kind: 'failed', stage: 'compile', message };
  const isOfProof = error instanceof OutOfBoundsWrite || error instanceof ReferenceWrong;
  return { kind: 'failed', stage: isOfProof ? 'verify' : stage, message };
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
