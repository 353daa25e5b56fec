import { nowNs, type Sample } from '../timing';
import { expectWait } from './polling';
import type { Timestamps } from './timestamps';
import type { DeviceWatch } from './watch';

/** The timer of a pass: the GPU's clock, or the wall clock if it has none. */
export interface PassTimer {
  readonly watch: DeviceWatch;
  readonly timestamps: Timestamps | null;
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
  { watch, timestamps }: PassTimer,
  encode: Encode,
  { dispatches, earlier }: Repetition = { dispatches: 1, earlier: { quickestNs: 0 } },
): Promise<Sample> {
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

/**
 * Times passes of one submission, behind untimed ones: a pass counts from the end of the one before, since the
 * clock may be read for its beginning while that is at work. Throws DeviceFault.
 */
export async function timePasses(
  watch: DeviceWatch,
  timestamps: Timestamps,
  encode: Encode,
  { passes, untimed }: { readonly passes: number; readonly untimed: number },
): Promise<number[]> {
  await watch.idle();
  await watch.scoped('run passes', () => {
    const encoder = watch.device.createCommandEncoder();
    for (let at = -untimed; at <= passes; at++) {
      const pass = encoder.beginComputePass(
        at < 0 ? {} : { timestampWrites: timestamps.writes(at) },
      );
      encode(pass);
      pass.end();
    }
    timestamps.resolve(encoder, passes + 1);
    watch.device.queue.submit([encoder.finish()]);
  });
  return timestamps.betweenEndsNs(passes + 1);
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
