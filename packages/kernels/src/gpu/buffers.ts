import { bufferBytes, guardedBytes } from '../bytes';
import type { Problem } from '../problem';
import { nowNs } from '../timing';
import { GUARD_BYTES } from '../verify/poison';
import type { DeviceWatch } from './watch';

/** Bits of `GPUBufferUsage` and `GPUMapMode` (fixed by the WebGPU standard): Node has no such globals. */
export const BufferUsage = {
  MAP_READ: 0x0001,
  COPY_SRC: 0x0004,
  COPY_DST: 0x0008,
  UNIFORM: 0x0040,
  STORAGE: 0x0080,
  QUERY_RESOLVE: 0x0200,
} as const;

/** `GPUMapMode.READ`. */
export const MAP_READ = 0x0001;

/** Bytes to which the offset of a binding is aligned, on every device. */
export const BINDING_ALIGNMENT = 256;

/** Bytes per `writeBuffer`: enough to be bound by bandwidth, yet little beside the inputs. */
const UPLOAD_CHUNK = 2 ** 26;

/** The inputs and output that one dispatch is bound to. */
export interface BufferSet {
  readonly inputs: readonly GPUBuffer[];
  readonly output: GPUBuffer;
}

/** Allocates one buffer set for a problem. */
export function createBufferSet(device: GPUDevice, problem: Problem): BufferSet {
  const bytes = bufferBytes(problem);
  const usage = BufferUsage.STORAGE | BufferUsage.COPY_SRC | BufferUsage.COPY_DST;
  return {
    inputs: bytes.inputs.map((size) => device.createBuffer({ size, usage })),
    output: device.createBuffer({ size: bytes.output, usage }),
  };
}

/** Allocates memory shared by a kernel's dispatches, with its guards. */
export function createScratch(device: GPUDevice, bytes: number): GPUBuffer {
  return device.createBuffer({ size: guardedBytes(bytes), usage: BufferUsage.STORAGE });
}

/** What a kernel binds of a guarded buffer: its content and the guard behind. */
export function guarded(buffer: GPUBuffer): GPUBufferBinding {
  return { buffer, offset: GUARD_BYTES, size: buffer.size - GUARD_BYTES };
}

export function destroyBufferSet({ inputs, output }: BufferSet): void {
  for (const buffer of [...inputs, output]) buffer.destroy();
}

/**
 * Time to copy the inputs from the host to the device, ns. Their contents do not affect it: the
 * real ones are generated on the device afterwards.
 */
export async function timeUpload(
  watch: DeviceWatch,
  { inputs }: Pick<BufferSet, 'inputs'>,
): Promise<number> {
  const { queue } = watch.device;
  const largest = Math.max(...inputs.map((buffer) => buffer.size));
  // Filled, so that its pages are mapped before the clock starts.
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

/** Copies part of a buffer to the host; `ns` is the time from the first command to the last byte. */
export async function download(
  watch: DeviceWatch,
  buffer: GPUBuffer,
  offset = 0,
  size = buffer.size - offset,
): Promise<{ bytes: ArrayBuffer; ns: number }> {
  const { device } = watch;
  const staging = await watch.scoped('allocate a staging buffer', () =>
    device.createBuffer({
      size,
      usage: BufferUsage.MAP_READ | BufferUsage.COPY_DST,
    }),
  );
  try {
    await watch.idle();
    const start = nowNs();
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, offset, staging, 0, size);
    device.queue.submit([encoder.finish()]);
    await watch.settled(staging.mapAsync(MAP_READ));
    const bytes = staging.getMappedRange().slice(0);
    return { bytes, ns: nowNs() - start };
  } finally {
    staging.destroy();
  }
}
