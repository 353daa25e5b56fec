import { DTYPES, type Dtype } from '../dtype';
import { sourceByDtype, typeHeader } from '../specialise';
import { type Fill, fillWords } from '../verify/inputs';
import { POISON_WORD } from '../verify/poison';
import { BINDING_ALIGNMENT, BufferUsage } from './buffers';
import fillWgsl from './fill.wgsl?raw';
import { type BindingType, bindGroupLayoutOf, bindGroupOf, type Pipelines } from './pipelines';
import poisonWgsl from './poison.wgsl?raw';
import type { DeviceWatch } from './watch';

const WORKGROUP = 256;
/** Most workgroups of a fill; beyond that, each thread strides over several elements. */
const MAX_GROUPS = 4_096;

/** A buffer, and what is written over it. */
const BINDINGS: readonly BindingType[] = ['storage', 'uniform'];

const fillSource = sourceByDtype((dtype) =>
  [
    typeHeader(dtype),
    `const FRACTION_BITS = ${DTYPES[dtype].fractionBits}u;`,
    `const INTEGERS = ${DTYPES[dtype].isInteger};`,
    fillWgsl,
  ].join('\n'),
);

const POISON_SOURCE = `const POISON_WORD = ${POISON_WORD}u;\n${poisonWgsl}`;

/** What is written over a buffer, as poison.wgsl takes it. */
export interface PoisonFill {
  readonly buffer: GPUBuffer;
  /** Words of the content between the guards. */
  readonly first: number;
  readonly end: number;
  /** 1 if only the lower half of its last word is content. */
  readonly halves: number;
  readonly kind: number;
  readonly stream: number;
  readonly guard: number;
  readonly most: number;
}

/** Writes inputs and poison on the device, so that large tensors need not be uploaded. */
export class Filler {
  readonly #watch: DeviceWatch;
  readonly #pipelines: Pipelines;
  /** Kept, because on many a system to create a buffer takes longer than to fill one. */
  #uniforms: GPUBuffer | null = null;
  /** What the device says of the last fill. */
  #validated: Promise<void> = Promise.resolve();
  /** By the buffer that is filled, with the place of its words in the kept uniform buffer. */
  #groups = new WeakMap<GPUBuffer, { readonly of: string; readonly group: GPUBindGroup }>();

  constructor(watch: DeviceWatch, pipelines: Pipelines) {
    this.#watch = watch;
    this.#pipelines = pipelines;
  }

  /** Starts to compile what `poison` takes; errors come from there. */
  compileAhead(): void {
    const layout = bindGroupLayoutOf(this.#watch.device, BINDINGS);
    this.#pipelines.compile(POISON_SOURCE, layout).catch(() => undefined);
  }

  /**
   * Fills each tensor according to the fill of the same index, bit for bit as `inputTensors` does.
   * Does not wait for the device.
   */
  async fill(
    tensors: readonly GPUBufferBinding[],
    fills: readonly Fill[],
    dtype: Dtype,
  ): Promise<void> {
    const longest = Math.max(...fills.map(({ length }) => length));
    await this.#run(fillSource(dtype), tensors, fills.map(fillWords), longest);
  }

  /**
   * Writes over whole buffers: their guards, and poison between them. Does not wait for the device,
   * since whatever follows does.
   */
  async poison(fills: readonly PoisonFill[]): Promise<void> {
    const longest = Math.max(...fills.map(({ buffer }) => buffer.size / 4));
    const words = fills.map(({ first, end, halves, kind, stream, guard, most }) => [
      first,
      end,
      halves,
      kind,
      stream,
      guard,
      floatBits(most),
    ]);
    const buffers = fills.map(({ buffer }) => buffer);
    await this.#run(POISON_SOURCE, buffers, words, longest);
  }

  /**
   * Runs a shader once per buffer, in one submission, because each submission costs a wait. So does
   * the validation of one: an error of it is thrown by the next.
   */
  async #run(
    source: string,
    buffers: readonly (GPUBuffer | GPUBufferBinding)[],
    words: readonly (readonly number[])[],
    length: number,
  ): Promise<void> {
    const { device } = this.#watch;
    const layout = bindGroupLayoutOf(device, BINDINGS);
    const { pipeline } = await this.#pipelines.compile(source, layout);
    const slot = BINDING_ALIGNMENT / 4;
    const all = new Uint32Array(words.length * slot);
    for (const [i, word] of words.entries()) all.set(word, i * slot);
    await this.#validated;
    this.#validated = this.#watch.scoped('fill the buffers', () => {
      const uniforms = this.#memory(all.byteLength);
      device.queue.writeBuffer(uniforms, 0, all);
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      for (const [i, buffer] of buffers.entries()) {
        const offset = i * BINDING_ALIGNMENT;
        pass.setBindGroup(0, this.#group(layout, buffer, { buffer: uniforms, offset }));
        pass.dispatchWorkgroups(Math.min(Math.ceil(length / WORKGROUP), MAX_GROUPS));
      }
      pass.end();
      device.queue.submit([encoder.finish()]);
    });
    // Not unhandled if there is no next.
    this.#validated.catch(() => undefined);
  }

  /** Kept for the next time: inputs are made before most samples. */
  #group(
    layout: GPUBindGroupLayout,
    filled: GPUBuffer | GPUBufferBinding,
    uniform: { readonly buffer: GPUBuffer; readonly offset: number },
  ): GPUBindGroup {
    const { buffer, offset = 0 } = 'buffer' in filled ? filled : { buffer: filled };
    const key = `${offset} ${uniform.offset}`;
    const known = this.#groups.get(buffer);
    if (known?.of === key) return known.group;
    const words = { ...uniform, size: BINDING_ALIGNMENT };
    const group = bindGroupOf(this.#watch.device, layout, [filled, words]);
    this.#groups.set(buffer, { of: key, group });
    return group;
  }

  /** The kept uniform buffer, made larger if it is too small. */
  #memory(size: number): GPUBuffer {
    if (this.#uniforms && this.#uniforms.size >= size) return this.#uniforms;
    this.destroy();
    const usage = BufferUsage.UNIFORM | BufferUsage.COPY_DST;
    this.#uniforms = this.#watch.device.createBuffer({ size, usage });
    return this.#uniforms;
  }

  destroy(): void {
    this.#uniforms?.destroy();
    this.#uniforms = null;
    this.#groups = new WeakMap();
  }
}

/** A uniform buffer of u32 words. */
export function uniformOf(device: GPUDevice, words: ArrayLike<number>): GPUBuffer {
  const buffer = device.createBuffer({
    size: Math.ceil(words.length / 4) * 16,
    usage: BufferUsage.UNIFORM | BufferUsage.COPY_DST,
  });
  device.queue.writeBuffer(buffer, 0, new Uint32Array(words));
  return buffer;
}

/** The word of an f32. */
export function floatBits(value: number): number {
  return new Uint32Array(new Float32Array([value]).buffer)[0] ?? 0;
}
