import { bufferBytes, guardedBytes } from '../bytes';
import type { Constants } from '../kernel/kernel';
import type { Problem } from '../problem/problem';
import { nowNs } from '../timing';
import { FAR_BYTES, GUARD_BYTES, POISON_WORD } from '../verify/poison';
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

const TENSOR = BufferUsage.STORAGE | BufferUsage.COPY_SRC | BufferUsage.COPY_DST;

/** Allocates one buffer set for a problem, with the guards of its inputs. */
export function createBufferSet(device: GPUDevice, problem: Problem): BufferSet {
  const bytes = bufferBytes(problem);
  const inputs = bytes.inputs.map((content) => {
    const size = guardedBytes(content);
    const buffer = device.createBuffer({ size, usage: TENSOR });
    // What fills the input later writes its elements alone: a whole word and more may be left behind.
    const guard = new Uint32Array(GUARD_BYTES / 4 + 4).fill(POISON_WORD);
    device.queue.writeBuffer(buffer, 0, guard);
    device.queue.writeBuffer(buffer, size - guard.byteLength, guard);
    return buffer;
  });
  return { inputs, output: device.createBuffer({ size: bytes.output, usage: TENSOR }) };
}

/** Allocates an output with a guard that reaches far behind it, as far as the device can bind. */
export function createFarOutput(device: GPUDevice, problem: Problem): GPUBuffer {
  const { output } = bufferBytes(problem);
  const { maxBufferSize, maxStorageBufferBindingSize } = device.limits;
  const most = Math.floor(Math.min(maxBufferSize, maxStorageBufferBindingSize) / 16) * 16;
  const size = Math.max(Math.min(output + FAR_BYTES, most), output);
  return device.createBuffer({ size, usage: TENSOR });
}

/** Allocates memory shared by a kernel's dispatches, with its guards. */
export function createScratch(device: GPUDevice, bytes: number): GPUBuffer {
  return device.createBuffer({ size: guardedBytes(bytes), usage: BufferUsage.STORAGE });
}

/** Allocates a buffer of constants and writes them. */
export function createConstants(
  device: GPUDevice,
  { type, words, bytes = 4 * words.length }: Constants,
): GPUBuffer {
  const usage = type === 'uniform' ? BufferUsage.UNIFORM : BufferUsage.STORAGE;
  const size = Math.max(Math.ceil(bytes / 16), 1) * 16;
  const buffer = device.createBuffer({ size, usage: usage | BufferUsage.COPY_DST });
  // wgpu in Deno ends the process at a write of nothing.
  if (words.length > 0) device.queue.writeBuffer(buffer, 0, new Uint32Array(words));
  return buffer;
}

/** The binding of a guarded buffer: its content and the guard behind. */
export function guarded(buffer: GPUBuffer): GPUBufferBinding {
  return { buffer, offset: GUARD_BYTES, size: buffer.size - GUARD_BYTES };
}

/** The binding of a guarded input, which may be as large as a device can bind. */
export function guardedInput({ limits }: GPUDevice, buffer: GPUBuffer): GPUBufferBinding {
  const { size = 0, ...bound } = guarded(buffer);
  const most = Math.floor(limits.maxStorageBufferBindingSize / 4) * 4;
  return { ...bound, size: Math.min(size, most) };
}

/** An input without its guards. */
export function contentOf(buffer: GPUBuffer): GPUBufferBinding {
  return { buffer, offset: GUARD_BYTES, size: buffer.size - 2 * GUARD_BYTES };
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
  const contents = inputs.map(({ size }) => size - 2 * GUARD_BYTES);
  const largest = Math.max(...contents);
  // Filled, so that its pages are mapped before the clock starts.
  const chunk = new Uint8Array(Math.min(largest, UPLOAD_CHUNK)).fill(1);
  await watch.idle();
  const start = nowNs();
  for (const [i, buffer] of inputs.entries()) {
    const content = contents[i] ?? 0;
    for (let offset = 0; offset < content; offset += chunk.length) {
      const bytes = Math.min(chunk.length, content - offset);
      queue.writeBuffer(buffer, GUARD_BYTES + offset, chunk, 0, bytes);
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
