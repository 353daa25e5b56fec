import { DeviceFault } from '../errors';
import { observedTickNs } from './tick';
import { BufferUsage, MAP_READ } from './usage';
import type { DeviceWatch } from './watch';

/** Empty passes run at the start to observe the clock. */
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

  /** Where a pass writes its beginning and end. */
  writes(pass = 0): GPUComputePassTimestampWrites {
    return {
      querySet: this.#querySet,
      beginningOfPassWriteIndex: 2 * pass,
      endOfPassWriteIndex: 2 * pass + 1,
    };
  }

  /** Makes the encoder bring the first `passes` passes' timestamps to where `read` finds them. */
  resolve(encoder: GPUCommandEncoder, passes = 1): void {
    const bytes = 2 * passes * BigUint64Array.BYTES_PER_ELEMENT;
    encoder.resolveQuerySet(this.#querySet, 0, 2 * passes, this.#resolved, 0);
    encoder.copyBufferToBuffer(this.#resolved, 0, this.#readback, 0, bytes);
  }

  /** Length of the last pass, ns. Throws DeviceFault when the clock went backwards. */
  async elapsedNs(): Promise<number> {
    const [begin = 0n, end = 0n] = await this.#read(1);
    if (end < begin) throw new DeviceFault(`GPU timestamps went backwards: ${begin} to ${end}`);
    return Number(end - begin);
  }

  /** Step of the clock, ns, see `observedTickNs`. */
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
