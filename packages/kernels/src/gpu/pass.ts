import { nowNs, type Sample } from '../timing';
import type { Timestamps } from './timestamps';
import type { DeviceWatch } from './watch';

/** What times a pass: the GPU's clock, or the wall clock if it has none. */
export interface PassTimer {
  readonly watch: DeviceWatch;
  readonly timestamps: Timestamps | null;
}

/** Runs one compute pass by itself and times it. Throws DeviceFault. */
export async function timePass(
  { watch, timestamps }: PassTimer,
  encode: (pass: GPUComputePassEncoder) => void,
): Promise<Sample> {
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
  await watch.idle();
  const wallNs = nowNs() - startNs;
  return { ns: timestamps ? await timestamps.elapsedNs() : wallNs, wallNs };
}
