import {
  areBytes,
  DTYPES,
  type Dtype,
  type Executor,
  featuresOf,
  idsOf,
  opOf,
  type Probe,
  type ProbeRequest,
  type Problem,
  resolveVariant,
  type Variant,
} from '@tilemark/kernels';
import { z } from 'zod';
import { MAXIMA } from '../schema/maxima';
import { dtypeSchema } from '../schema/op';
import { nextDispatches } from './calibrate';
import type { DeviceCapabilities } from './device';

/** The limit of a device on a problem. */
export interface Roof {
  /** Shortest possible time of one dispatch, ns. */
  readonly ns: number;
  /** What takes that time: the multiply-adds or the bytes. */
  readonly bound: 'compute' | 'bandwidth';
}

/** A probe's sample lasts at least this long, ns. */
const PROBE_SAMPLE_NS = 1e6;

/** Minimum number of samples; the fastest counts, since a peak is what a device can do. */
const PROBE_SAMPLES = 5;

/**
 * How long a probe runs if the device may have idled, ns of wall time: the host checks outputs
 * for seconds, after which an NVIDIA H200 copied at a third of its speed (2026-11-22).
 */
const WARM_UP_NS = 0.5e9;

/** This long after its last probe, a device may have idled, ms. */
const IDLES_AFTER_MS = 1_000;

/** One sample is enough if it takes longer than this, ns: the launch no longer matters. */
const LONG_SAMPLE_NS = 0.5e9;

/** Smaller sets measure the first-level caches, and mostly the launch, bytes. */
const SMALLEST_COPY_BYTES = 2 ** 18;

/** Larger than any last-level cache, and long enough that the launch does not matter, bytes. */
const ENOUGH_COPY_BYTES = 2 ** 29;

/** A result faster than this part of its roof's time is implausible. */
export const PLAUSIBLE_PART = 0.95;

/**
 * The most a device can do, measured by probes on first use and kept: multiply-adds per second
 * by dtype, copied bytes per second by working set.
 */
export class Roofline {
  readonly #executor: Executor;
  readonly #largestCopyBytes: number;
  readonly #dtypes: readonly Dtype[];
  /** Operations or bytes per ns by probe: the best seen so far. */
  readonly #rates = new Map<string, number>();
  #probedAtMs = Number.NEGATIVE_INFINITY;

  constructor(executor: Executor, capabilities: DeviceCapabilities) {
    const { features, maxStorageBufferBindingSize, maxBufferSize } = capabilities;
    // Each half of a copy is a separate binding.
    const limit = 2 * Math.min(maxStorageBufferBindingSize, maxBufferSize);
    this.#executor = executor;
    this.#dtypes = idsOf(DTYPES).filter((dtype) => {
      const { peak, feature } = DTYPES[dtype];
      return peak === dtype && (feature === null || features.includes(feature.name));
    });
    this.#largestCopyBytes = Math.min(2 ** Math.floor(Math.log2(limit)), ENOUGH_COPY_BYTES);
  }

  /**
   * The roof over a variant on a problem; null if the device has no probes, or none for the
   * multiply-adds of its dtype. Matrix units and packed dots multiply faster than the probes, so only the
   * bytes count there.
   *
   * @param workingSetBytes everything the dispatches rotate through
   */
  async roofOf(variant: Variant, problem: Problem, workingSetBytes: number): Promise<Roof | null> {
    const op = opOf(problem);
    const rates = await this.#copies(workingSetBytes, (request) => this.#rate(request));
    if (rates.length === 0) return null;
    const bytesNs = op.bytes(problem.shape, problem.dtype) / Math.max(...rates);
    const flops = multiplyAdds(variant, problem);
    if (flops === 0) return higherRoof(bytesNs, 0);
    const peak = await this.#rate(peakOf(problem));
    return peak === null ? null : higherRoof(bytesNs, flops / peak);
  }

  /** Probes a roof again and keeps the better rate, before a result is called implausible. */
  async doubt({ bound }: Roof, problem: Problem, workingSetBytes: number): Promise<void> {
    if (bound === 'compute') await this.#measure(peakOf(problem));
    else await this.#copies(workingSetBytes, (request) => this.#measure(request));
  }

  /** Raises its rates to those of a verified result: the device can do what it has done. */
  raise(variant: Variant, problem: Problem, workingSetBytes: number, ns: number): void {
    const op = opOf(problem);
    const copy = { id: 'copy', bytes: this.#likeBytes(workingSetBytes) } as const;
    this.#keep(copy, op.bytes(problem.shape, problem.dtype) / ns);
    const flops = multiplyAdds(variant, problem);
    if (flops > 0) this.#keep(peakOf(problem), flops / ns);
  }

  /**
   * Copies over a working set of this size, which may fit a cache, and over the largest one, where
   * the launch matters least: a kernel may come close to either.
   */
  async #copies(
    workingSetBytes: number,
    rateOf: (request: ProbeRequest) => Promise<number | null>,
  ): Promise<number[]> {
    const rates: number[] = [];
    for (const bytes of new Set([this.#likeBytes(workingSetBytes), this.#largestCopyBytes])) {
      const rate = await rateOf({ id: 'copy', bytes });
      if (rate !== null) rates.push(rate);
    }
    return rates;
  }

  /**
   * Probes everything: copies over working sets from 256 KiB to the largest, doubling, and the
   * multiply-adds of each dtype. Null if the device has no probes.
   *
   * @param onProbe called before each probe
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
    return { copies, peaks };
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
      return this.#keep(
        request,
        Math.max(probe.flops, probe.bytes) / (await fastestNs(probe, warmUpNs)),
      );
    } finally {
      this.#probedAtMs = performance.now();
      probe.destroy();
    }
  }

  /** The best so far, with this one. */
  #keep(request: ProbeRequest, rate: number): number {
    const key = JSON.stringify(request);
    const best = Math.max(rate, this.#rates.get(key) ?? 0);
    this.#rates.set(key, best);
    return best;
  }

  /** A power of two, so that like problems share a probe. */
  #likeBytes(workingSetBytes: number): number {
    return Math.min(2 ** Math.round(Math.log2(workingSetBytes)), this.#largestCopyBytes);
  }
}

/** The rates of a device that its survey measured: what its copies or its peaks lack is not known. */
type KnownRates = Pick<RooflineSurvey, 'copies' | 'peaks'>;

/**
 * The roof that a survey implies for a variant on a problem: its copies, over the working set and
 * over the largest, of which the faster counts as in `Roofline`, and its multiply-adds. Null where
 * one of the two is not known: a share of the other alone is not a share of what binds.
 *
 * @param workingSetBytes everything the dispatches rotate through; absent: unknown, the fastest copy
 */
export function surveyedRoof(
  rates: KnownRates,
  variant: Variant,
  problem: Problem,
  workingSetBytes?: number,
): Roof | null {
  const { bytesNs, flopsNs } = limitsNs(rates, variant, problem, workingSetBytes);
  return bytesNs === null || flopsNs === null ? null : higherRoof(bytesNs, flopsNs);
}

/**
 * The shortest time that a survey allows, by all that it knows: no result is plausible in less. Its
 * bound may not be what binds; see `surveyedRoof`. Null where it says nothing about the problem.
 */
export function leastTime(
  rates: KnownRates,
  variant: Variant,
  problem: Problem,
  workingSetBytes?: number,
): Roof | null {
  const { bytesNs, flopsNs } = limitsNs(rates, variant, problem, workingSetBytes);
  const roof = higherRoof(bytesNs ?? 0, flopsNs ?? 0);
  return roof.ns > 0 ? roof : null;
}

/** The least time of a problem's bytes and multiply-adds, ns; null: unknown. */
function limitsNs(
  { copies, peaks }: KnownRates,
  variant: Variant,
  problem: Problem,
  workingSetBytes: number | undefined,
): { readonly bytesNs: number | null; readonly flopsNs: number | null } {
  const largest = copies.at(-1)?.bytes ?? 0;
  const like = Math.min(2 ** Math.round(Math.log2(workingSetBytes ?? 1)), largest);
  const far = ({ bytes }: { readonly bytes: number }) => Math.abs(Math.log2(bytes / like));
  // Where results stand in for a survey, not every working set was copied.
  const nearest = Math.min(...copies.map(far));
  const near = copies.filter((copy) => copy.bytes === largest || far(copy) === nearest);
  const counted = workingSetBytes === undefined ? copies : near;
  const bandwidth = Math.max(0, ...counted.map((copy) => copy.gigabytesPerSecond));
  const bytes = opOf(problem).bytes(problem.shape, problem.dtype);
  const flops = multiplyAdds(variant, problem);
  const peak = peaks.find(({ dtype }) => dtype === peakOf(problem).dtype)?.gigaflopsPerSecond;
  return {
    bytesNs: bandwidth > 0 ? bytes / bandwidth : null,
    flopsNs: flops === 0 ? 0 : peak === undefined ? null : flops / peak,
  };
}

const higherRoof = (bytesNs: number, flopsNs: number): Roof =>
  flopsNs > bytesNs ? { ns: flopsNs, bound: 'compute' } : { ns: bytesNs, bound: 'bandwidth' };

/** The probe of a problem's multiply-adds: by the type of its elements, not of its sums. */
const peakOf = ({ dtype }: Problem) => ({ id: 'fma', dtype: DTYPES[dtype].peak }) as const;

/**
 * Operations a variant needs from the units that the probes measure: none of those of matrix units and
 * of packed dots.
 */
export function multiplyAdds({ kernel, tunables }: Variant, problem: Problem): number {
  const { definition, tunables: values } = resolveVariant(kernel, tunables);
  const features = definition.runsOn === 'gpu' ? featuresOf(definition, values, problem.dtype) : [];
  const isFaster = features.includes('chromium-experimental-subgroup-matrix');
  if (isFaster || areBytes(problem.dtype)) return 0;
  return (definition.flopsPart ?? 1) * opOf(problem).flops(problem.shape);
}

/** Time of one dispatch in the fastest of a few samples, or of all that fit in the warm-up, ns. */
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

const rate = z.number().positive();

/** The most a device can do, as its probes found. */
export const rooflineSurveySchema = z.object({
  /** Copies by working set (half read, half written), smallest first; bytes of both count. */
  copies: z
    .array(z.object({ bytes: z.number().int().positive(), gigabytesPerSecond: rate }))
    .max(MAXIMA.probes),
  /** Multiply-adds in registers; each counts as two operations. */
  peaks: z.array(z.object({ dtype: dtypeSchema, gigaflopsPerSecond: rate })).max(MAXIMA.probes),
});
export type RooflineSurvey = z.infer<typeof rooflineSurveySchema>;
