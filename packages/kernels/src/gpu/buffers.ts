import { bufferBytes } from '../bytes';
import { nowNs } from '../clock';
import type { Problem } from '../problem';
import { BufferUsage, MAP_READ } from './usage';
import type { DeviceWatch } from './watch';

/** Bytes handed to one `writeBuffer`: enough to be bound by bandwidth, little beside the inputs. */
const UPLOAD_CHUNK = 2 ** 26;

/** The inputs and output that one dispatch is bound to. */
export interface BufferSet {
  readonly inputs: readonly GPUBuffer[];
  readonly output: GPUBuffer;
}

/** Allocates one set of a problem's buffers. */
export function createBufferSet(device: GPUDevice, problem: Problem): BufferSet {
  const bytes = bufferBytes(problem);
  const usage = BufferUsage.STORAGE | BufferUsage.COPY_SRC | BufferUsage.COPY_DST;
  return {
    inputs: bytes.inputs.map((size) => device.createBuffer({ size, usage })),
    output: device.createBuffer({ size: bytes.output, usage }),
  };
}

/** Memory that the dispatches of a kernel share. */
export function createScratch(device: GPUDevice, size: number): GPUBuffer {
  return device.createBuffer({ size, usage: BufferUsage.STORAGE });
}

export function destroyBufferSet({ inputs, output }: BufferSet): void {
  for (const buffer of [...inputs, output]) buffer.destroy();
}

/**
 * Time to bring the inputs from the host to the device, ns. The contents do
 * not matter to it and are filled in on the device afterwards.
 */
export async function timeUpload(
  watch: DeviceWatch,
  { inputs }: Pick<BufferSet, 'inputs'>,
): Promise<number> {
  const { queue } = watch.device;
  const largest = Math.max(...inputs.map((buffer) => buffer.size));
  // Filled, so that the pages are there before the clock starts.
  const chunk = new Uint8Array(Math.min(largest, UPLOAD_CHUNK)).fill(1);
  await watch.idle();
  const start = nowNs();
  for (const buffer of inputs) {
    for (let offset = 0; offset < buffer.size; offset += chunk.length) {
      const bytes = Math.min(chunk.length, buffer.size - offset);
      queue.writeBuffer(buffer, offset, chunk, 0, bytes);
    }
  }
  await watch.idle();
  return nowNs() - start;
}

/**
 * Copies the inputs of one set over those of others. Cheaper than to compute them in each: a
 * shader that writes a fresh buffer finds it cleared by the API first, a copy of all of it does not.
 */
export async function copyInputs(
  watch: DeviceWatch,
  from: BufferSet,
  others: readonly BufferSet[],
): Promise<void> {
  const { device } = watch;
  await watch.scoped('copy the inputs', () => {
    const encoder = device.createCommandEncoder();
    for (const { inputs } of others) {
      for (const [i, input] of inputs.entries()) {
        const source = from.inputs[i];
        if (source) encoder.copyBufferToBuffer(source, 0, input, 0, input.size);
      }
    }
    device.queue.submit([encoder.finish()]);
  });
  await watch.idle();
}

/** Copies a buffer to the host, with the time it took from the first command to the last byte. */
export async function download(
  watch: DeviceWatch,
  buffer: GPUBuffer,
): Promise<{ bytes: ArrayBuffer; ns: number }> {
  const { device } = watch;
  const staging = await watch.scoped('allocate a staging buffer', () =>
    device.createBuffer({
      size: buffer.size,
      usage: BufferUsage.MAP_READ | BufferUsage.COPY_DST,
    }),
  );
  try {
    await watch.idle();
    const start = nowNs();
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size);
    device.queue.submit([encoder.finish()]);
    await watch.settled(staging.mapAsync(MAP_READ));
    const bytes = staging.getMappedRange().slice(0);
    return { bytes, ns: nowNs() - start };
  } finally {
    staging.destroy();
  }
}
