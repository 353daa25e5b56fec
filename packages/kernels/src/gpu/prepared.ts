import { BYTES_PER_ELEMENT, elementType } from '../dtype';
import { OutOfBoundsWrite } from '../errors';
import type { Output, Prepared, SampleOptions } from '../executor';
import { fromHalves } from '../half';
import type { Tensor } from '../kernel';
import { elements } from '../op';
import { opOf } from '../ops';
import { POISON_HALF } from '../poison';
import type { Problem } from '../problem';
import type { Sample } from '../sample';
import { type BufferSet, destroyBufferSet, download } from './buffers';
import type { Filler } from './fill';
import { type PassTimer, timePass } from './pass';

/** What an executor shares with everything it prepares. */
export interface GpuContext extends PassTimer {
  readonly filler: Filler;
}

/** A pass of a kernel, compiled. */
export interface Dispatch {
  readonly pipeline: GPUComputePipeline;
  readonly workgroups: readonly [x: number, y: number, z: number];
}

/** The dispatches of a kernel, bound to every buffer set of a problem. */
export interface Binding {
  readonly dispatches: readonly Dispatch[];
  readonly sets: readonly (BufferSet & { readonly group: GPUBindGroup })[];
  /** Bound in every set: the shape, and scratch memory if the kernel has any. */
  readonly shared: readonly GPUBuffer[];
}

export class GpuPrepared implements Prepared {
  readonly compileNs: number | null;
  readonly uploadNs: number | null;
  readonly fillNs: number;
  readonly #context: GpuContext;
  readonly #problem: Problem;
  readonly #binding: Binding;
  /** Set the next rotated dispatch takes; goes on from sample to sample. */
  #next = 0;
  #last = 0;

  constructor(
    context: GpuContext,
    problem: Problem,
    binding: Binding,
    times: Pick<Prepared, 'compileNs' | 'uploadNs' | 'fillNs'>,
  ) {
    this.compileNs = times.compileNs;
    this.uploadNs = times.uploadNs;
    this.fillNs = times.fillNs;
    this.#context = context;
    this.#problem = problem;
    this.#binding = binding;
  }

  get bufferSets(): number {
    return this.#binding.sets.length;
  }

  get lastSet(): number {
    return this.#last;
  }

  async poison(): Promise<void> {
    await this.#context.filler.poison(this.#binding.sets.map(({ output }) => output));
  }

  async sample({ dispatches, rotate }: SampleOptions): Promise<Sample> {
    return timePass(this.#context, (pass) => this.#encode(pass, dispatches, rotate));
  }

  async readOutput(bufferSet: number): Promise<Output> {
    const set = this.#binding.sets[bufferSet];
    if (!set) throw new RangeError(`no buffer set ${bufferSet}: there are ${this.bufferSets}`);
    const { bytes, ns } = await download(this.#context.watch, set.output);
    const { shape, dtype } = this.#problem;
    const length = elements(opOf(this.#problem).output(shape));
    const outputBytes = length * BYTES_PER_ELEMENT[dtype];
    checkCanary(bytes, outputBytes);
    return {
      bytes: new Uint8Array(bytes, 0, outputBytes),
      downloadNs: ns,
      tensor: () => tensorOf(bytes, length, dtype),
    };
  }

  destroy(): void {
    for (const set of this.#binding.sets) destroyBufferSet(set);
    for (const buffer of this.#binding.shared) buffer.destroy();
  }

  #encode(pass: GPUComputePassEncoder, runs: number, rotate: boolean): void {
    const { dispatches, sets } = this.#binding;
    for (let run = 0; run < runs; run++) {
      this.#last = rotate ? this.#next++ % sets.length : 0;
      const set = sets[this.#last];
      if (set && (rotate || run === 0)) pass.setBindGroup(0, set.group);
      for (const { pipeline, workgroups } of dispatches) {
        if (dispatches.length > 1 || run === 0) pass.setPipeline(pipeline);
        pass.dispatchWorkgroups(...workgroups);
      }
    }
  }
}

/** Throws OutOfBoundsWrite when a byte behind the output is not as `poison` left it. */
function checkCanary(bytes: ArrayBuffer, outputBytes: number): void {
  const canary = new Uint16Array(bytes, outputBytes);
  const at = canary.findIndex((half) => half !== POISON_HALF);
  if (at >= 0) {
    throw new OutOfBoundsWrite(
      `the kernel wrote ${2 * at} bytes behind the end of its output of ${outputBytes} bytes`,
    );
  }
}

function tensorOf(bytes: ArrayBuffer, length: number, dtype: Problem['dtype']): Tensor {
  if (elementType(dtype) === 'f16') return fromHalves(new Uint16Array(bytes, 0, length));
  return dtype === 'i32' ? new Int32Array(bytes, 0, length) : new Float32Array(bytes, 0, length);
}
