import { nowNs, type Sample } from '../timing';
import { expectWait } from './polling';
import type { Timestamps } from './timestamps';
import type { DeviceWatch } from './watch';

/** What times a pass: the GPU's clock, or the wall clock if it has none. */
export interface PassTimer {
  readonly watch: DeviceWatch;
  readonly timestamps: Timestamps | null;
}

type Encode = (pass: GPUComputePassEncoder) => void;

/** A pass of so many dispatches of a kernel that earlier passes ran. */
export interface Repetition {
  readonly dispatches: number;
  readonly earlier: Earlier;
}

/** What earlier passes of a kernel took: the quickest, ns per dispatch; 0 before the first. */
export interface Earlier {
  quickestNs: number;
}

/** Runs one compute pass by itself and times it. Throws DeviceFault. */
export async function timePass(
  timer: PassTimer,
  encode: Encode,
  repetition?: Repetition,
): Promise<Sample> {
  const { ended } = await beginPass(timer, encode, repetition);
  return ended();
}

/**
 * Submits one compute pass by itself; `ended` waits for it. Where the GPU has no clock, what is
 * submitted between the two counts as its time.
 *
 * @param repetition by which it is known how long there is nothing to ask; absent: it is not
 */
export async function beginPass(
  { watch, timestamps }: PassTimer,
  encode: Encode,
  { dispatches, earlier }: Repetition = { dispatches: 1, earlier: { quickestNs: 0 } },
): Promise<{ readonly ended: () => Promise<Sample> }> {
  const { device } = watch;
  // The first timestamp is written when the pass reaches the GPU: no other work may be ahead of it.
  await watch.idle();
  let startNs = 0;
  await watch.scoped('run a pass', () => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass(
      timestamps ? { timestampWrites: timestamps.writes() } : {},
    );
    encode(pass);
    pass.end();
    timestamps?.resolve(encoder);
    const commands = encoder.finish();
    startNs = nowNs();
    device.queue.submit([commands]);
  });
  const ended = async () => {
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
  };
  return { ended };
}
