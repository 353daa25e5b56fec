import { DeviceFault } from '../errors';
import { BufferUsage, MAP_READ } from './buffers';
import type { DeviceWatch } from './watch';

/** Number of empty passes run at the start to observe the clock. */
const OBSERVED_PASSES = 32;

/** The GPU's clock: one query set, reused for every sample. */
export class Timestamps {
  readonly #watch: DeviceWatch;
  readonly #querySet: GPUQuerySet;
  readonly #resolved: GPUBuffer;
  readonly #readback: GPUBuffer;

  /** The device must have the feature `timestamp-query`. */
  constructor(watch: DeviceWatch) {
    const { device } = watch;
    const count = 2 * OBSERVED_PASSES;
    const size = count * BigUint64Array.BYTES_PER_ELEMENT;
    this.#watch = watch;
    this.#querySet = device.createQuerySet({ type: 'timestamp', count });
    this.#resolved = device.createBuffer({
      size,
      usage: BufferUsage.QUERY_RESOLVE | BufferUsage.COPY_SRC,
    });
    this.#readback = device.createBuffer({
      size,
      usage: BufferUsage.MAP_READ | BufferUsage.COPY_DST,
    });
  }

  /** Where a pass writes its start and end times. */
  writes(pass = 0): GPUComputePassTimestampWrites {
    return {
      querySet: this.#querySet,
      beginningOfPassWriteIndex: 2 * pass,
      endOfPassWriteIndex: 2 * pass + 1,
    };
  }

  /** Encodes copying the timestamps of the first `passes` passes to the buffer that `#read` maps. */
  resolve(encoder: GPUCommandEncoder, passes = 1): void {
    const bytes = 2 * passes * BigUint64Array.BYTES_PER_ELEMENT;
    encoder.resolveQuerySet(this.#querySet, 0, 2 * passes, this.#resolved, 0);
    encoder.copyBufferToBuffer(this.#resolved, 0, this.#readback, 0, bytes);
  }

  /** Duration of the last pass, ns. Throws DeviceFault if the clock went backwards. */
  async elapsedNs(): Promise<number> {
    const [begin = 0n, end = 0n] = await this.#read(1);
    if (end < begin) throw new DeviceFault(`GPU timestamps went backwards: ${begin} to ${end}`);
    return Number(end - begin);
  }

  /** Step of the clock, ns; see `observedTickNs`. */
  async observeTickNs(): Promise<number> {
    const encoder = this.#watch.device.createCommandEncoder();
    for (let pass = 0; pass < OBSERVED_PASSES; pass++) {
      encoder.beginComputePass({ timestampWrites: this.writes(pass) }).end();
    }
    this.resolve(encoder, OBSERVED_PASSES);
    this.#watch.device.queue.submit([encoder.finish()]);
    return observedTickNs([...(await this.#read(OBSERVED_PASSES))]);
  }

  destroy(): void {
    this.#querySet.destroy();
    this.#resolved.destroy();
    this.#readback.destroy();
  }

  async #read(passes: number): Promise<BigUint64Array> {
    const bytes = 2 * passes * BigUint64Array.BYTES_PER_ELEMENT;
    await this.#watch.settled(this.#readback.mapAsync(MAP_READ, 0, bytes));
    const values = new BigUint64Array(this.#readback.getMappedRange(0, bytes).slice(0));
    this.#readback.unmap();
    return values;
  }
}

/** Dawn rounds timestamps to this many ns unless a toggle says otherwise. */
const QUANTUM_NS = 65_536n;

/**
 * Step of a device's timestamps, ns: the greatest common divisor of the differences between the
 * values observed. Throws if all values are multiples of 65,536, which is Dawn's quantisation and
 * not the device's clock.
 */
export function observedTickNs(timestamps: readonly bigint[]): number {
  const values = [...new Set(timestamps)].sort((a, b) => (a < b ? -1 : 1));
  const first = values[0];
  if (first === undefined || values.length < 2) {
    throw new Error('the device has no usable GPU clock: all of its timestamps are the same');
  }
  if (values.every((value) => value % QUANTUM_NS === 0n)) {
    throw new Error(
      'GPU timestamps are rounded to 65,536 ns. Start Dawn with disable-dawn-features=timestamp_quantization (Chromium: --disable-dawn-features=timestamp_quantization).',
    );
  }
  return Number(values.map((value) => value - first).reduce(greatestCommonDivisor, 0n));
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b);
}
