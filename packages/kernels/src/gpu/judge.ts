import { DTYPES, EXACT, type Rounding } from '../dtype';
import { OutOfBoundsWrite } from '../errors';
import type { HostPool } from '../host/job';
import type { Kernel } from '../kernel';
import { ceilDiv } from '../numbers';
import { elements } from '../op';
import { opOf } from '../ops';
import type { Problem } from '../problem';
import { jsonNumber, type WorstElement } from '../verify/compare';
import { type InputChoice, inputTensors } from '../verify/inputs';
import { GUARD_BYTES } from '../verify/poison';
import { imprecision, type Precision, rmsLimit, unitOf } from '../verify/precision';
import { merged, type Verdict } from '../verify/verification';
import { outputCheck } from '../verify/verify';
import { BufferUsage, download, MAP_READ } from './buffers';
import compareBits from './compare-bits.wgsl';
import compareValues from './compare-values.wgsl';
import { floatBits, uniformOf } from './fill';
import guardsWgsl from './guards.wgsl';
import { type BindingType, bindGroupLayoutOf, bindGroupOf, type Pipelines } from './pipelines';
import { type Reference, References } from './references';
import type { DeviceWatch } from './watch';

/** An output to be judged, with the inputs it was computed from. */
export interface Judged {
  readonly choice: InputChoice;
  readonly inputs: readonly GPUBuffer[];
  /** Between its guards. */
  readonly output: GPUBuffer;
}

/** What is the same for all outputs of a run. */
export interface Case {
  readonly problem: Problem;
  readonly kernel: Pick<Kernel, 'computes' | 'errorGrowth'>;
  /** See `PrepareOptions.secret`. */
  readonly secret: number;
}

/** Memory between guards, with what its owner is called. */
export interface Guarded {
  readonly buffer: GPUBuffer;
  readonly contentBytes: number;
  readonly what: string;
}

/** Fewest elements that a workgroup compares, and most workgroups. */
const LEAST_SHARE = 4_096;
const MOST_SHARES = 4_096;

/** Bytes to which the offset of a binding is aligned, on every device. */
const BINDING_ALIGNMENT = 256;

/**
 * Verification on the device: compares every element of outputs with references (references.ts),
 * each with its own bound, and returns a few numbers only. What the device cannot hold a reference
 * of is compared on the host.
 */
export class Judge {
  readonly #watch: DeviceWatch;
  readonly #pipelines: Pipelines;
  readonly #references: References;

  constructor(watch: DeviceWatch, pipelines: Pipelines, pool: HostPool | null) {
    this.#watch = watch;
    this.#pipelines = pipelines;
    this.#references = new References(watch, pipelines, pool);
  }

  destroy(): void {
    this.#references.destroy();
  }

  /** One verdict on some outputs. Throws ReferenceWrong. */
  async verdict(of: Case, outputs: readonly Judged[]): Promise<Verdict> {
    const { problem } = of;
    if (!this.#references.canHold(problem)) return this.#onHost(of, outputs);
    const verdicts: Verdict[] = [];
    const most = this.#references.capacity(problem);
    for (let first = 0; first < outputs.length; first += most) {
      const some = outputs.slice(first, first + most);
      const references: Reference[] = [];
      for (const judged of some) {
        const { computes } = of.kernel;
        references.push(await this.#references.of({ problem, computes, ...judged }));
      }
      // All at once: waiting for a device takes longer than most comparisons.
      const compared = some.map((judged, i) => this.#compared(of, judged, references[i]));
      verdicts.push(...(await Promise.all(compared)));
    }
    return merged(verdicts);
  }

  async #compared(of: Case, judged: Judged, reference?: Reference): Promise<Verdict> {
    if (!reference) throw new TypeError('an output without a reference');
    return reference.norms || isExactFloat(of, judged)
      ? this.#compareValues(of, judged, reference)
      : this.#compareBits(of, judged, reference);
  }

  /** Throws OutOfBoundsWrite if a guard has changed since the poison. */
  async checkGuards(memory: readonly Guarded[], guard: number): Promise<void> {
    const words = GUARD_BYTES / 4;
    const regions = memory.flatMap(({ buffer, contentBytes }) => {
      const end = GUARD_BYTES + contentBytes;
      const offset = Math.floor(end / BINDING_ALIGNMENT) * BINDING_ALIGNMENT;
      const first = Math.floor((end - offset) / 4);
      const behind = { buffer, offset, size: buffer.size - offset };
      return [
        { part: { buffer, offset: 0, size: GUARD_BYTES }, words: [0, words, 0, 0] },
        {
          part: behind,
          words: [first, behind.size / 4, offset / 4, end % 4 === 0 ? 0 : 1],
        },
      ];
    });
    const { device } = this.#watch;
    const layout = bindGroupLayoutOf(device, ['read-only-storage', 'uniform', 'storage']);
    const { pipeline } = await this.#pipelines.compile(guardsWgsl, layout);
    const found = new Uint32Array(
      await this.#measure(12 * regions.length, (encoder, findings) => {
        encoder.clearBuffer(findings);
        const pass = encoder.beginComputePass();
        pass.setPipeline(pipeline);
        const uniforms = regions.map((region, index) => {
          const uniform = uniformOf(device, [...region.words, guard, index]);
          pass.setBindGroup(0, bindGroupOf(device, layout, [region.part, uniform, findings]));
          pass.dispatchWorkgroups(8);
          return uniform;
        });
        pass.end();
        return uniforms;
      }),
    );
    for (const [index, { what, contentBytes }] of memory.entries()) {
      const at = 6 * index;
      if (found[at]) {
        const before = GUARD_BYTES - 4 * (found[at + 2] ?? 0);
        throw new OutOfBoundsWrite(`the kernel wrote ${before} bytes before the start of ${what}`);
      }
      if (found[at + 3]) {
        // The least place, complemented.
        const first = 4 * (~(found[at + 4] ?? 0) >>> 0) - GUARD_BYTES - contentBytes;
        throw new OutOfBoundsWrite(
          `the kernel wrote ${Math.max(first, 0)} bytes past the end of ${what} of ${contentBytes} bytes`,
        );
      }
    }
  }

  async #compareValues(of: Case, judged: Judged, reference: Reference): Promise<Verdict> {
    const { problem, kernel } = of;
    const { element } = DTYPES[problem.dtype];
    const { length, cols, share, groups } = sharesOf(problem);
    const rounding = judged.choice.mode === 'exact' ? EXACT : DTYPES[problem.dtype].rounding;
    const growth = kernel.errorGrowth ?? 1;
    const terms = opOf(problem).terms(problem.shape);
    const precision = { rounding, terms, growth };
    const norms = reference.norms ?? [reference.want, reference.want];
    // Exact sums have no scale; any will do.
    const scale = reference.norms === null ? 1 : await this.#largestScale(kernel, norms);
    const allowed = boundOf(rounding, growth);
    const words = [
      ...[length, cols, share, groups],
      ...[allowed.tolerance, allowed.relative, allowed.absolute, unitOf(precision) || 1, scale].map(
        floatBits,
      ),
    ];
    const [enable, halves] = element === 'f16' ? ['enable f16;', 'f16'] : ['', 'f32'];
    const source = `${enable}\nalias H = ${halves};\nconst HALVES = ${element === 'f16'};\n${compareValues}`;
    const bytes = await this.#compare(
      source,
      [content(judged.output), reference.want, ...norms],
      words,
      24 * groups,
    );
    const verdict = valuesVerdict(new DataView(bytes), precision, { length, share, groups });
    if (verdict.right) return verdict.right;
    const worst = await this.#element(problem, judged, reference, verdict.at);
    const bound = await this.#boundAt(rounding, norms, worst, { growth, scale });
    return { ...verdict.wrong, worst: { ...worst, bound } };
  }

  async #compareBits(of: Case, judged: Judged, reference: Reference): Promise<Verdict> {
    const { problem } = of;
    const { element } = DTYPES[problem.dtype];
    const { length, share, groups } = sharesOf(problem);
    const source = `const HALVES = ${element === 'f16'};\n${compareBits}`;
    const bytes = await this.#compare(
      source,
      [content(judged.output), reference.want],
      [length, share],
      8 * groups,
    );
    const records = new Uint32Array(bytes);
    let beyond = 0;
    let first = length;
    for (let group = 0; group < groups; group++) {
      beyond += records[2 * group] ?? 0;
      first = Math.min(first, records[2 * group + 1] ?? length);
    }
    const exact = { method: 'device', checked: length, infinite: 0, rms: 0, reason: null } as const;
    if (beyond === 0) return { ...exact, beyond, worstRatio: 0, worst: null };
    const worst = await this.#element(problem, judged, reference, first);
    return {
      ...exact,
      beyond,
      worstRatio: Number.POSITIVE_INFINITY,
      worst: { ...worst, bound: 0 },
    };
  }

  /** Runs a comparison and returns its records. */
  async #compare(
    source: string,
    read: readonly (GPUBuffer | GPUBufferBinding)[],
    words: readonly number[],
    recordBytes: number,
  ): Promise<ArrayBuffer> {
    const { device } = this.#watch;
    const bindings: BindingType[] = [
      ...read.map(() => 'read-only-storage' as const),
      'uniform',
      'storage',
    ];
    const layout = bindGroupLayoutOf(device, bindings);
    const { pipeline } = await this.#pipelines.compile(source, layout);
    return this.#measure(recordBytes, (encoder, records) => {
      const uniform = uniformOf(device, words);
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bindGroupOf(device, layout, [...read, uniform, records]));
      pass.dispatchWorkgroups(recordBytes / (bindings.length === 4 ? 8 : 24));
      pass.end();
      return [uniform];
    });
  }

  /** Runs what writes `bytes` of results, and returns them. */
  async #measure(
    bytes: number,
    encode: (encoder: GPUCommandEncoder, results: GPUBuffer) => readonly GPUBuffer[],
  ): Promise<ArrayBuffer> {
    const { device } = this.#watch;
    const storage = BufferUsage.STORAGE | BufferUsage.COPY_SRC | BufferUsage.COPY_DST;
    const results = device.createBuffer({ size: bytes, usage: storage });
    const usage = BufferUsage.MAP_READ | BufferUsage.COPY_DST;
    const staging = device.createBuffer({ size: bytes, usage });
    const submitted = this.#watch.scoped('compare an output', () => {
      const encoder = device.createCommandEncoder();
      const uniforms = encode(encoder, results);
      encoder.copyBufferToBuffer(results, 0, staging, 0, bytes);
      device.queue.submit([encoder.finish()]);
      return uniforms;
    });
    // One wait for both: the work and its validation.
    const mapped = this.#watch.settled(staging.mapAsync(MAP_READ));
    let uniforms: readonly GPUBuffer[] = [];
    try {
      [uniforms] = await Promise.all([submitted, mapped]);
      return staging.getMappedRange().slice(0);
    } finally {
      for (const buffer of [results, staging, ...uniforms]) buffer.destroy();
    }
  }

  /** One element of an output and of its reference. */
  async #element(
    problem: Problem,
    { output }: Judged,
    { want }: Reference,
    at: number,
  ): Promise<Omit<WorstElement, 'bound'>> {
    const { cols } = opOf(problem).output(problem.shape);
    const { bytes, fromDevice, HostArray } = DTYPES[problem.dtype];
    const word = (size: number) => Math.floor((at * size) / 4) * 4;
    const isWide = want.size > Math.ceil((bytes * sharesOf(problem).length) / 4) * 4;
    const found = await download(this.#watch, output, GUARD_BYTES + word(bytes), 4);
    const right = await download(this.#watch, want, word(isWide ? 4 : bytes), 4);
    const half = bytes === 2 ? at % 2 : 0;
    const got = fromDevice(found.bytes, half + 1)[half] ?? Number.NaN;
    const exact = isWide ? new HostArray(right.bytes)[0] : fromDevice(right.bytes, half + 1)[half];
    return {
      row: Math.floor(at / cols),
      col: at % cols,
      got: jsonNumber(got),
      want: exact ?? Number.NaN,
    };
  }

  async #boundAt(
    rounding: Rounding,
    norms: readonly [GPUBuffer, GPUBuffer],
    { row, col, want }: Omit<WorstElement, 'bound'>,
    { growth, scale }: { growth: number; scale: number },
  ): Promise<number> {
    const norm = async (buffer: GPUBuffer, at: number) =>
      new Float32Array((await download(this.#watch, buffer, 4 * at, 4)).bytes)[0] ?? 0;
    const product = scale || (await norm(norms[0], row)) * (await norm(norms[1], col));
    const { tolerance, relative, absolute } = boundOf(rounding, growth);
    return tolerance * product + relative * Math.abs(want) + absolute;
  }

  /** For kernels whose error grows beyond an element's own norms, the largest ones; else 0. */
  async #largestScale(
    { errorGrowth }: Case['kernel'],
    norms: readonly [GPUBuffer, GPUBuffer],
  ): Promise<number> {
    if (errorGrowth === undefined) return 0;
    let scale = 1;
    for (const buffer of norms) {
      const { bytes } = await download(this.#watch, buffer);
      scale *= new Float32Array(bytes).reduce((most, norm) => Math.max(most, norm), 0);
    }
    return scale;
  }

  async #onHost(of: Case, outputs: readonly Judged[]): Promise<Verdict> {
    const { problem, kernel, secret } = of;
    const { fromDevice } = DTYPES[problem.dtype];
    const verdicts: Verdict[] = [];
    for (const [index, { choice, output }] of outputs.entries()) {
      const { computes, errorGrowth } = kernel;
      const exact = choice.mode === 'exact';
      const options = { computes, errorGrowth, secret, sampled: index > 0, exact };
      const check = outputCheck(problem, inputTensors(problem, choice), options);
      const { bytes } = await download(this.#watch, output, GUARD_BYTES);
      verdicts.push(check(fromDevice(bytes, sharesOf(problem).length)));
    }
    return merged(verdicts);
  }
}

const content = (buffer: GPUBuffer): GPUBufferBinding => ({
  buffer,
  offset: GUARD_BYTES,
  size: buffer.size - GUARD_BYTES,
});

/** Floats that are integers: compared as numbers, since zeros may have either sign. */
const isExactFloat = ({ problem, kernel }: Case, { choice }: Judged): boolean =>
  choice.mode === 'exact' &&
  kernel.computes !== 'copy' &&
  !DTYPES[problem.dtype].isInteger &&
  opOf(problem).verification.onDevice?.norms !== undefined;

function sharesOf(problem: Problem) {
  const dims = opOf(problem).output(problem.shape);
  const length = elements(dims);
  const share = Math.max(LEAST_SHARE, 256 * ceilDiv(ceilDiv(length, MOST_SHARES), 256));
  return { length, cols: dims.cols, share, groups: ceilDiv(length, share) };
}

/** The bound of an element: in products of norms, in its magnitude, and in itself. */
function boundOf({ sumRoundoff, sumTolerance, store }: Rounding, growth: number) {
  return {
    tolerance: growth * sumTolerance * sumRoundoff,
    relative: store ? 2 * store.roundoff : 0,
    // Above zero, since an exact error is divided by it.
    absolute: store ? store.subnormal : 1e-30,
  };
}

/** Adds up the records of compare-values.wgsl. */
function valuesVerdict(
  view: DataView,
  precision: Precision,
  { length, share, groups }: { length: number; share: number; groups: number },
):
  | { readonly right: Verdict }
  | { readonly right: null; readonly wrong: Omit<Verdict, 'worst'>; readonly at: number } {
  const isExact = precision.rounding.sumRoundoff === 0;
  let [beyond, infinite, squares, at, ratio] = [0, 0, 0, 0, -1];
  let reason: string | null = null;
  let imprecise = 0;
  for (let group = 0; group < groups; group++) {
    const base = 24 * group;
    const word = (index: number) => view.getUint32(base + 4 * index, true);
    const float = (index: number) => view.getFloat32(base + 4 * index, true);
    beyond += word(0);
    infinite += word(1);
    squares += float(4);
    if (float(3) > ratio) [ratio, at] = [float(3), word(2)];
    const count = Math.min(share, length - group * share) - word(1);
    if (isExact || count === 0) continue;
    const [rms, ideal] = [Math.sqrt(float(4) / count), Math.sqrt(float(5) / count)];
    const limit = rmsLimit(precision, count, ideal);
    if (rms / limit > Math.max(imprecise, 1)) {
      imprecise = rms / limit;
      reason = imprecision(rms, limit);
    }
  }
  const verdict = {
    method: 'device',
    checked: length,
    beyond,
    infinite,
    rms: isExact ? 0 : Math.sqrt(squares / Math.max(length - infinite, 1)),
    // What a shader says of NaN and infinities.
    worstRatio: ratio > 1e38 ? Number.POSITIVE_INFINITY : Math.max(ratio, 0),
    reason: beyond > 0 ? null : reason,
  } as const;
  if (beyond === 0 && reason === null) return { right: { ...verdict, worst: null } };
  return { right: null, wrong: verdict, at };
}
