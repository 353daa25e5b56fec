import { nowNs, type Sample } from '../timing';
import { expectWait } from './polling';
import type { Timestamps } from './timestamps';
import type { DeviceWatch } from './watch';

/** The timer of a pass: the GPU's clock, or the wall clock if it has none. */
export interface PassTimer {
  readonly watch: DeviceWatch;
  readonly timestamps: Timestamps | null;
  /** Keeps the device at work ahead of each pass that is timed; absent: nothing does. */
  readonly load?: Load | null;
}

/** Work of a certain length that no result counts. */
export interface Load {
  readonly encode: Encode;
  /** Is told how long its last pass took, ns. */
  took(ns: number): void;
}

type Encode = (pass: GPUComputePassEncoder) => void;

/** A pass of so many dispatches of a kernel that earlier passes ran. */
interface Repetition {
  readonly dispatches: number;
  readonly earlier: Earlier;
}

/** The time of earlier passes of a kernel: the quickest, ns per dispatch; 0 before the first. */
export interface Earlier {
  quickestNs: number;
}

/**
 * Runs one compute pass by itself and times it. Where the GPU has no clock, what is submitted meanwhile
 * counts as its time. Throws DeviceFault.
 *
 * @param repetition by which it is known how long there is nothing to ask; absent: it is not
 */
export async function timePass(
  { watch, timestamps, load }: PassTimer,
  encode: Encode,
  { dispatches, earlier }: Repetition = { dispatches: 1, earlier: { quickestNs: 0 } },
): Promise<Sample> {
  if (load && timestamps) return timeBehind(load, { watch, timestamps }, encode);
  // The first timestamp is written when the pass reaches the GPU: no other work may be ahead of it.
  await watch.idle();
  const startNs = await submitPass(watch, encode, timestamps);
  // Without the GPU's clock, what is noticed late counts.
  if (timestamps) expectWait(startNs, dispatches * earlier.quickestNs);
  const gpuNs = await (timestamps ? timestamps.elapsedNs() : watch.idle());
  const wallNs = nowNs() - startNs;
  const ns = gpuNs ?? wallNs;
  if (dispatches > 0) {
    const eachNs = ns / dispatches;
    earlier.quickestNs = Math.min(earlier.quickestNs || eachNs, eachNs);
  }
  return { ns, wallNs };
}

/** Times a pass behind a load. Throws DeviceFault. */
async function timeBehind(load: Load, clock: Clock, encode: Encode): Promise<Sample> {
  const { startNs, passesNs } = await timeEnds(clock, [load.encode, encode]);
  const [loadNs = 0, ns = 0] = passesNs;
  load.took(loadNs);
  return { ns, wallNs: nowNs() - startNs };
}

/** Times passes of one submission, behind untimed ones. Throws DeviceFault. */
export async function timePasses(
  clock: Clock,
  encode: Encode,
  { passes, untimed }: { readonly passes: number; readonly untimed: number },
): Promise<number[]> {
  const all = Array.from({ length: untimed + 1 + passes }, () => encode);
  return (await timeEnds(clock, all, untimed)).passesNs.slice(1);
}

interface Clock {
  readonly watch: DeviceWatch;
  readonly timestamps: Timestamps;
}

/**
 * Runs passes in one submission, and times all but the first `untimed`: one from its beginning or earlier, since
 * the clock may be read for it while other work goes on, the others from the end of the one before.
 */
async function timeEnds(
  { watch, timestamps }: Clock,
  passes: readonly Encode[],
  untimed = 0,
): Promise<{ readonly startNs: number; readonly passesNs: number[] }> {
  let startNs = 0;
  await watch.scoped('run passes', () => {
    const encoder = watch.device.createCommandEncoder();
    for (const [at, encode] of passes.entries()) {
      const pass = encoder.beginComputePass(
        at < untimed ? {} : { timestampWrites: timestamps.writes(at - untimed) },
      );
      encode(pass);
      pass.end();
    }
    timestamps.resolve(encoder, passes.length - untimed);
    startNs = nowNs();
    watch.device.queue.submit([encoder.finish()]);
  });
  return { startNs, passesNs: await timestamps.betweenEndsNs(passes.length - untimed) };
}

/** Submits one compute pass, and does not wait for it. Returns when, ns. Throws Error if it is invalid. */
export async function submitPass(
  watch: DeviceWatch,
  encode: Encode,
  timestamps: Timestamps | null = null,
): Promise<number> {
  let startNs = 0;
  await watch.scoped('run a pass', () => {
    const encoder = watch.device.createCommandEncoder();
    const pass = encoder.beginComputePass(
      timestamps ? { timestampWrites: timestamps.writes() } : {},
    );
    encode(pass);
    pass.end();
    timestamps?.resolve(encoder);
    const commands = encoder.finish();
    startNs = nowNs();
    watch.device.queue.submit([commands]);
  });
  return startNs;
}
