import { DeviceFault } from '../errors';
import { BufferUsage, MAP_READ } from './buffers';
import type { DeviceWatch } from './watch';

/** Number of empty passes run at the start to observe the clock. */
const OBSERVED_PASSES = 32;

/** A rounded clock is watched for this many steps, and for this long, ms. */
const STEPS = 8;
const STEPS_WITHIN_MS = 2_000;

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

  /** Duration of the first of several passes, then the time from the end of each to that of the next, ns. */
  async betweenEndsNs(passes: number): Promise<number[]> {
    const times = await this.#read(passes);
    const ends = [...times].filter((_, at) => at === 0 || at % 2 === 1);
    return ends.slice(1).map((end, at) => Number(end - (ends[at] ?? end)));
  }

  /** Step of the clock, ns; see `observedTickNs`. */
  async observeTickNs(): Promise<number> {
    return observedTickNs(await this.#observe());
  }

  /**
   * Step of a clock that a browser rounds, ns: several steps are waited for. Null if it stands
   * still, as in browsers that offer timestamps and keep them to themselves.
   */
  async observeQuantumNs(): Promise<number | null> {
    const seen = new Set<bigint>();
    for (const untilMs = performance.now() + STEPS_WITHIN_MS; seen.size <= STEPS; ) {
      for (const value of await this.#observe()) seen.add(value);
      if (performance.now() > untilMs) break;
    }
    return seen.size > 1 ? stepOf([...seen]) : null;
  }

  async #observe(): Promise<bigint[]> {
    const encoder = this.#watch.device.createCommandEncoder();
    for (let pass = 0; pass < OBSERVED_PASSES; pass++) {
      encoder.beginComputePass({ timestampWrites: this.writes(pass) }).end();
    }
    this.resolve(encoder, OBSERVED_PASSES);
    this.#watch.device.queue.submit([encoder.finish()]);
    return [...(await this.#read(OBSERVED_PASSES))];
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
  if (new Set(timestamps).size < 2) {
    throw new Error('the device has no usable GPU clock: all of its timestamps are the same');
  }
  if (timestamps.every((value) => value % QUANTUM_NS === 0n)) {
    throw new Error(
      'GPU timestamps are rounded to 65,536 ns. Start Dawn with disable-dawn-features=timestamp_quantization (Chromium: --disable-dawn-features=timestamp_quantization).',
    );
  }
  return stepOf(timestamps);
}

/** The greatest step that leads to all of the values. */
function stepOf(values: readonly bigint[]): number {
  const [first = 0n] = values;
  const magnitudes = values.map((value) => (value > first ? value - first : first - value));
  return Number(magnitudes.reduce(greatestCommonDivisor, 0n));
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b);
}
