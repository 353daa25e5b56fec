import type { Scalar } from '../scalar';
import { type Fill, fillWords } from '../verify/fills';
import { POISON_WORD } from '../verify/poison';
import { BINDING_ALIGNMENT, BufferUsage } from './buffers';
import fillWgsl from './fill.wgsl?raw';
import packedWgsl from './fill-packed.wgsl?raw';
import { type BindingType, bindGroupLayoutOf, bindGroupOf, type Pipelines } from './pipelines';
import poisonWgsl from './poison.wgsl?raw';
import type { DeviceWatch } from './watch';

const WORKGROUP = 256;
/** Most workgroups of a fill; beyond that, each thread strides over several elements. */
const MAX_GROUPS = 4_096;

/** A buffer, and what is written over it. */
const BINDINGS: readonly BindingType[] = ['storage', 'uniform'];

const sources = new Map<string, string>();

/** The shader of a fill, built once: the same string is found faster than an equal one. */
function fillSource(fill: Fill): string {
  const { element, packing } = fill.item;
  const { bias, bits, flip, wgsl } = packing ?? {};
  const key = [element, wgsl?.item, bits, bias, flip, fill.bits, fill.exponent].join();
  const source = sources.get(key) ?? buildSource(fill);
  sources.set(key, source);
  return source;
}

/** Floats by their bits, because a conversion may give others. */
const RAW: Readonly<Record<Scalar, { raw: string; infinite: string; nan: string }>> = {
  f32: { raw: 'bitcast<f32>((sign << 31u) | rest)', infinite: '0x7f800000u', nan: '0x7fc00000u' },
  f16: { raw: 'bitcast<vec2<f16>>((sign << 15u) | rest).x', infinite: '0x7c00u', nan: '0x7e00u' },
  i32: { raw: '0', infinite: '0u', nan: '0u' },
  u32: { raw: '0', infinite: '0u', nan: '0u' },
};

function buildSource({ item, bits, exponent }: Fill): string {
  if (item.packing) {
    const { wgsl, bias, flip } = item.packing;
    return [
      `const BITS = ${item.packing.bits}u;`,
      `const BIAS = ${bias};`,
      `const FLIP = ${flip}u;`,
      `fn item_at(word: u32, place: u32) -> u32 { return ${wgsl.item}; }`,
      packedWgsl,
    ].join('\n');
  }
  const { infinite, nan, raw } = RAW[item.element];
  return [
    ...(item.feature ? [`enable ${item.feature.wgslExtension};`] : []),
    `alias T = ${item.element};`,
    `const FRACTION_BITS = ${bits}u;`,
    `const SCALE = 0x1p${exponent - bits}f;`,
    `const INTEGERS = ${item.isInteger};`,
    `const INFINITE = ${infinite};`,
    `const NAN = ${nan};`,
    `fn raw(sign: u32, rest: u32) -> T { return ${raw}; }`,
    fillWgsl,
  ].join('\n');
}

/** One buffer that a shader writes over, and the words that say how. */
interface Written {
  readonly source: string;
  readonly buffer: GPUBuffer | GPUBufferBinding;
  readonly words: readonly number[];
  /** Elements, or words. */
  readonly length: number;
}

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
   * Fills each part according to the fill of the same index, with the bits of `inputTensors` as they are stored.
   * Does not wait for the device.
   */
  async fill(parts: readonly GPUBufferBinding[], fills: readonly Fill[]): Promise<void> {
    await this.#run(
      fills.flatMap((fill, i) => {
        const buffer = parts[i];
        const words = fillWords(fill);
        return buffer ? [{ source: fillSource(fill), buffer, words, length: fill.length }] : [];
      }),
    );
  }

  /**
   * Writes over whole buffers: their guards, and poison between them. Does not wait for the device,
   * since whatever follows does.
   */
  async poison(fills: readonly PoisonFill[]): Promise<void> {
    await this.#run(
      fills.map(({ buffer, first, end, halves, kind, stream, guard, most }) => ({
        source: POISON_SOURCE,
        buffer,
        words: [first, end, halves, kind, stream, guard, floatBits(most)],
        length: buffer.size / 4,
      })),
    );
  }

  /**
   * Runs a shader once per buffer, in one submission, because each submission costs a wait. So does
   * the validation of one: an error of it is thrown by the next.
   */
  async #run(written: readonly Written[]): Promise<void> {
    const { device } = this.#watch;
    const layout = bindGroupLayoutOf(device, BINDINGS);
    const compiled = await Promise.all(
      written.map(({ source }) => this.#pipelines.compile(source, layout)),
    );
    const longest = Math.max(...written.map(({ length }) => length));
    const slot = BINDING_ALIGNMENT / 4;
    const all = new Uint32Array(written.length * slot);
    for (const [i, { words }] of written.entries()) all.set(words, i * slot);
    await this.#validated;
    this.#validated = this.#watch.scoped('fill the buffers', () => {
      const uniforms = this.#memory(all.byteLength);
      device.queue.writeBuffer(uniforms, 0, all);
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      let last: GPUComputePipeline | undefined;
      for (const [i, { buffer }] of written.entries()) {
        const { pipeline } = compiled[i] ?? {};
        if (pipeline && pipeline !== last) pass.setPipeline(pipeline);
        last = pipeline;
        const offset = i * BINDING_ALIGNMENT;
        pass.setBindGroup(0, this.#group(layout, buffer, { buffer: uniforms, offset }));
        pass.dispatchWorkgroups(Math.min(Math.ceil(longest / WORKGROUP), MAX_GROUPS));
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

/** The word of an f32. */
export function floatBits(value: number): number {
  return new Uint32Array(new Float32Array([value]).buffer)[0] ?? 0;
}
