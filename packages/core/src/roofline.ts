import {
  DTYPES,
  type Dtype,
  type Executor,
  elementType,
  featuresOf,
  opOf,
  type Probe,
  type ProbeRequest,
  type Problem,
  resolveVariant,
  type Variant,
} from '@tilemark/kernels';
import { nextDispatches } from './calibrate';
import type { DeviceCapabilities } from './device';
import { impliedCacheBytes, type RooflineSurvey } from './roofline-survey';

/** What a device cannot beat on a problem. */
export interface Roof {
  /** Least time of one run, ns. */
  readonly ns: number;
  /** What it is the time of: the multiply-adds or the bytes. */
  readonly bound: 'compute' | 'bandwidth';
}

/** A probe's sample lasts at least this long, ns. */
const PROBE_SAMPLE_NS = 1e6;

/** Samples of which the fastest counts, at least: a peak is what a device can do, not what it does. */
const PROBE_SAMPLES = 5;

/**
 * For so long a probe goes on where the device may have idled, ns on the wall: the host
 * checks outputs for seconds, and an NVIDIA H200 then copied at a third of its speed.
 */
const WARM_UP_NS = 0.5e9;

/** A device may have idled this long after its last probe, ms. */
const IDLES_AFTER_MS = 1_000;

/** One is enough where it takes longer than this, ns: it is not the launch that is measured. */
const LONG_SAMPLE_NS = 0.5e9;

/** Smaller sets measure the first-level caches, and mostly the launch, bytes. */
const SMALLEST_COPY_BYTES = 2 ** 18;

/** Larger than any last-level cache, and long enough for the launch not to count, bytes. */
const ENOUGH_COPY_BYTES = 2 ** 29;

/** A result in less than this part of its roof's time is not believed. */
export const PLAUSIBLE_PART = 0.95;

/**
 * What a device can do at most, measured by probes when first asked for and kept:
 * multiply-adds a second by dtype, copied bytes a second by working set.
 */
export class Roofline {
  readonly #executor: Executor;
  readonly #largestCopyBytes: number;
  readonly #dtypes: readonly Dtype[];
  /** Operations or bytes per ns by probe, the best ever seen. */
  readonly #rates = new Map<string, number>();
  #probedAtMs = Number.NEGATIVE_INFINITY;

  constructor(executor: Executor, capabilities: DeviceCapabilities) {
    const { features, maxStorageBufferBindingSize, maxBufferSize } = capabilities;
    // Each half of a copy is a binding of its own.
    const limit = 2 * Math.min(maxStorageBufferBindingSize, maxBufferSize);
    this.#executor = executor;
    // The type of a sum is no matter of multiply-adds in one type.
    this.#dtypes = DTYPES.filter(
      (dtype) => dtype !== 'f16acc16' && (dtype !== 'f16' || features.includes('shader-f16')),
    );
    this.#largestCopyBytes = Math.min(2 ** Math.floor(Math.log2(limit)), ENOUGH_COPY_BYTES);
  }

  /**
   * The roof over a variant on a problem; null where the device has no probes.
   * Matrix units multiply faster than the probe can: for kernels that use them
   * only the bytes count.
   *
   * @param workingSetBytes all that the dispatches rotate through
   */
  async roofOf(variant: Variant, problem: Problem, workingSetBytes: number): Promise<Roof | null> {
    const op = opOf(problem);
    const rates = await this.#copies(workingSetBytes, (request) => this.#rate(request));
    if (rates.length === 0) return null;
    const bytesNs = op.bytes(problem.shape, problem.dtype) / Math.max(...rates);
    const flops = multiplyAdds(variant, problem);
    const peak = flops > 0 ? await this.#rate(peakOf(problem)) : null;
    return higherRoof(bytesNs, peak === null ? 0 : flops / peak);
  }

  /** Probes again what a roof is made of and keeps the better rate, before a result is called implausible. */
  async doubt({ bound }: Roof, problem: Problem, workingSetBytes: number): Promise<void> {
    if (bound === 'compute') await this.#measure(peakOf(problem));
    else await this.#copies(workingSetBytes, (request) => this.#measure(request));
  }

  /**
   * Copies over a working set of this size, which a cache may hold, and over the
   * largest one, where the launch weighs least: a kernel may come near either.
   */
  async #copies(
    workingSetBytes: number,
    rateOf: (request: ProbeRequest) => Promise<number | null>,
  ): Promise<number[]> {
    // A power of two, so that like problems share a probe.
    const like = Math.min(2 ** Math.round(Math.log2(workingSetBytes)), this.#largestCopyBytes);
    const rates: number[] = [];
    for (const bytes of new Set([like, this.#largestCopyBytes])) {
      const rate = await rateOf({ id: 'copy', bytes });
      if (rate !== null) rates.push(rate);
    }
    return rates;
  }

  /**
   * Probes all there is: copies over working sets from 256 KiB to the largest, doubling,
   * and the multiply-adds of each dtype. Null where the device has no probes.
   *
   * @param onProbe told before each probe
   */
  async survey(onProbe: () => void = () => {}): Promise<RooflineSurvey | null> {
    const copies: RooflineSurvey['copies'] = [];
    for (let bytes = SMALLEST_COPY_BYTES; bytes <= this.#largestCopyBytes; bytes *= 2) {
      onProbe();
      const rate = await this.#rate({ id: 'copy', bytes });
      if (rate === null) return null;
      copies.push({ bytes, gigabytesPerSecond: rate });
    }
    const peaks: RooflineSurvey['peaks'] = [];
    for (const dtype of this.#dtypes) {
      onProbe();
      const rate = await this.#rate({ id: 'fma', dtype });
      if (rate !== null) peaks.push({ dtype, gigaflopsPerSecond: rate });
    }
    return { copies, lastLevelCacheBytes: impliedCacheBytes(copies), peaks };
  }

  async #rate(request: ProbeRequest): Promise<number | null> {
    return this.#rates.get(JSON.stringify(request)) ?? this.#measure(request);
  }

  async #measure(request: ProbeRequest): Promise<number | null> {
    const hasIdled = performance.now() - this.#probedAtMs > IDLES_AFTER_MS;
    const warmUpNs = hasIdled ? WARM_UP_NS : 0;
    const probe = await this.#executor.probe(request);
    if (!probe) return null;
    try {
      const rate = Math.max(probe.flops, probe.bytes) / (await fastestNs(probe, warmUpNs));
      const key = JSON.stringify(request);
      const best = Math.max(rate, this.#rates.get(key) ?? 0);
      this.#rates.set(key, best);
      return best;
    } finally {
      this.#probedAtMs = performance.now();
      probe.destroy();
    }
  }
}

/**
 * The roof that a survey puts over a variant on a problem: its fastest copy, of whatever
 * working set, and its multiply-adds. Null for a survey without copies.
 */
export function surveyedRoof(
  { copies, peaks }: RooflineSurvey,
  variant: Variant,
  problem: Problem,
): Roof | null {
  if (copies.length === 0) return null;
  const op = opOf(problem);
  const bandwidth = Math.max(...copies.map((copy) => copy.gigabytesPerSecond));
  const peak = peaks.find(({ dtype }) => dtype === peakOf(problem).dtype)?.gigaflopsPerSecond;
  const flopsNs = peak === undefined ? 0 : multiplyAdds(variant, problem) / peak;
  return higherRoof(op.bytes(problem.shape, problem.dtype) / bandwidth, flopsNs);
}

const higherRoof = (bytesNs: number, flopsNs: number): Roof =>
  flopsNs > bytesNs ? { ns: flopsNs, bound: 'compute' } : { ns: bytesNs, bound: 'bandwidth' };

/** The probe of a problem's multiply-adds: the type of its elements, whatever sums are kept in. */
const peakOf = ({ dtype }: Problem) => ({ id: 'fma', dtype: elementType(dtype) }) as const;

/** Operations that a variant needs of the multiply-add units: none where it has matrix units. */
function multiplyAdds({ kernel, tunables }: Variant, problem: Problem): number {
  const { definition, tunables: values } = resolveVariant(kernel, tunables);
  const features = definition.runsOn === 'gpu' ? featuresOf(definition, values, problem.dtype) : [];
  if (features.includes('chromium-experimental-subgroup-matrix')) return 0;
  return (definition.flopsPart ?? 1) * opOf(problem).flops(problem.shape);
}

/** Time of one dispatch in the fastest of a few samples, or of all that fit the warm-up, ns. */
async function fastestNs(probe: Probe, warmUpNs: number): Promise<number> {
  let dispatches = 1;
  let fastest = Number.POSITIVE_INFINITY;
  let spentNs = 0;
  for (let samples = 0; samples < PROBE_SAMPLES || spentNs < warmUpNs; ) {
    const { ns, wallNs } = await probe.sample(dispatches);
    spentNs += wallNs;
    const next = nextDispatches(dispatches, ns, PROBE_SAMPLE_NS);
    if (next === dispatches) {
      fastest = Math.min(fastest, ns / dispatches);
      samples = ns > LONG_SAMPLE_NS ? PROBE_SAMPLES : samples + 1;
    }
    dispatches = next;
  }
  return fastest;
}
