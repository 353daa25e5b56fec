import type { Problem } from '../problem/problem';
import type { Scalar } from '../problem/scalar';
import { type Fill, fillsOf, fillWords, STREAM_WORD, seedOfSet, streamOf } from '../verify/fills';
import { POISON_WORD } from '../verify/poison';
import { BINDING_ALIGNMENT, type BufferSet, contentOf, createConstants } from './buffers';
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

/** Items as bits, because a conversion may give others: the place of the sign, and infinity and NaN. */
const BITS: Readonly<Record<Scalar, { sign: number; infinite: string; nan: string }>> = {
  f32: { sign: 31, infinite: '0x7f800000u', nan: '0x7fc00000u' },
  f16: { sign: 15, infinite: '0x7c00u', nan: '0x7e00u' },
  i32: { sign: 31, infinite: '0u', nan: '0u' },
  u32: { sign: 31, infinite: '0u', nan: '0u' },
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
  const { infinite, nan, sign } = BITS[item.element];
  const areHalves = item.element === 'f16';
  return [
    `alias T = ${areHalves ? 'f32' : item.element};`,
    `const HALVES = ${areHalves};`,
    `fn bits_of(item: T) -> u32 { return ${areHalves ? 'pack2x16float(vec2f(item, 0.0))' : 'bitcast<u32>(item)'}; }`,
    `const FRACTION_BITS = ${bits}u;`,
    `const SCALE = 0x1p${exponent - bits}f;`,
    `const INTEGERS = ${item.isInteger};`,
    `const INFINITE = ${infinite};`,
    `const NAN = ${nan};`,
    `const SIGN = ${sign}u;`,
    fillWgsl,
  ].join('\n');
}

/** A buffer that a shader overwrites, and the words that say how. */
interface Written {
  readonly source: string;
  readonly buffer: GPUBuffer | GPUBufferBinding;
  readonly words: readonly number[];
  /** Elements, or words. */
  readonly length: number;
}

const POISON_SOURCE = `const POISON_WORD = ${POISON_WORD}u;\n${poisonWgsl}`;

/** The words that poison.wgsl writes over a buffer. */
interface Poison {
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

/** The inputs of a problem in some buffer sets. */
export interface Inputs {
  /** Fills those of the first sets, or of all, each set's from a seed of its own. Does not wait. */
  fill(seed: number, sets?: number): Promise<void>;
  destroy(): void;
}

/** The poison of some buffers. */
export interface Poisons {
  /** Writes over the first of them whole: their guards, and poison between them. Does not wait. */
  write(poisons: readonly Poison[]): Promise<void>;
  destroy(): void;
}

/** Buffers to be written over, in one submission. */
interface Plan {
  readonly written: readonly Written[];
  readonly pipelines: readonly GPUComputePipeline[];
  /** Of all, each at its place in `uniforms`. */
  readonly words: Uint32Array;
  readonly uniforms: () => GPUBuffer;
  /** Bound when it is first submitted. */
  groups?: readonly GPUBindGroup[];
}

/** Words from one's place in the uniform buffer to the next one's. */
const SLOT = BINDING_ALIGNMENT / 4;

/** Writes inputs and poison on the device, so that large tensors need not be uploaded. */
export class Filler {
  readonly #watch: DeviceWatch;
  readonly #pipelines: Pipelines;
  /** Kept, because on many a system to create a buffer takes longer than to fill one. */
  #uniforms: GPUBuffer | null = null;
  /** What the device says of the last fill. */
  #validated: Promise<void> = Promise.resolve();

  constructor(watch: DeviceWatch, pipelines: Pipelines) {
    this.#watch = watch;
    this.#pipelines = pipelines;
  }

  /** Starts to compile what poison takes; errors come from there. */
  compileAhead(): void {
    const layout = bindGroupLayoutOf(this.#watch.device, BINDINGS);
    this.#pipelines.compile(POISON_SOURCE, layout).catch(() => undefined);
  }

  /**
   * Fills each part according to the fill of the same index, with the bits of `inputTensors` as they are stored.
   * Does not wait for the device.
   */
  async fill(parts: readonly GPUBufferBinding[], fills: readonly Fill[]): Promise<void> {
    await this.#run(writtenBy(parts, fills));
  }

  /** What makes the inputs of some buffer sets, time and again: all but their streams is made once. */
  async inputsOf(problem: Problem, sets: readonly BufferSet[]): Promise<Inputs> {
    const parts = fillsOf(problem, { seed: 0 });
    const { plan, destroy } = await this.#kept(
      sets.flatMap(({ inputs }) => writtenBy(inputs.map(contentOf), parts)),
    );
    return {
      fill: async (seed, count = sets.length) => {
        for (let i = 0; i < count * parts.length; i++) {
          const ofSet = seedOfSet(seed, Math.floor(i / parts.length));
          plan.words[i * SLOT + STREAM_WORD] = streamOf(ofSet, i % parts.length);
        }
        await this.#submit(plan, count * parts.length);
      },
      destroy,
    };
  }

  /** What poisons the first of some buffers, time and again: all but the words is made once. */
  async poisonsOf(buffers: readonly GPUBuffer[]): Promise<Poisons> {
    const { plan, destroy } = await this.#kept(
      buffers.map((buffer) => {
        const length = buffer.size / 4;
        return { source: POISON_SOURCE, buffer, words: [], length };
      }),
    );
    return {
      write: async (poisons) => {
        for (const [i, { first, end, halves, kind, stream, guard, most }] of poisons.entries()) {
          plan.words.set([first, end, halves, kind, stream, guard, floatBits(most)], i * SLOT);
        }
        await this.#submit(plan, poisons.length);
      },
      destroy,
    };
  }

  async #run(written: readonly Written[]): Promise<void> {
    await this.#submit(await this.#plan(written, () => this.#memory(written.length)));
  }

  /** To be submitted time and again, with uniforms of its own. */
  async #kept(written: readonly Written[]): Promise<{ plan: Plan; destroy: () => void }> {
    let uniforms: GPUBuffer | null = null;
    const create = () => createUniforms(this.#watch.device, written.length);
    const plan = await this.#plan(written, () => (uniforms ??= create()));
    return { plan, destroy: () => uniforms?.destroy() };
  }

  async #plan(written: readonly Written[], uniforms: Plan['uniforms']): Promise<Plan> {
    const layout = bindGroupLayoutOf(this.#watch.device, BINDINGS);
    const compiled = await Promise.all(
      written.map(({ source }) => this.#pipelines.compile(source, layout)),
    );
    const words = new Uint32Array(written.length * SLOT);
    for (const [i, { words: some }] of written.entries()) words.set(some, i * SLOT);
    return { written, pipelines: compiled.map(({ pipeline }) => pipeline), words, uniforms };
  }

  /**
   * Runs a shader once for each of the first buffers, in one submission, because each submission costs
   * a wait. So does the validation of one: an error of it is thrown by the next.
   */
  async #submit(plan: Plan, count = plan.written.length): Promise<void> {
    const { device } = this.#watch;
    const { written, pipelines, words } = plan;
    const longest = Math.max(...written.slice(0, count).map(({ length }) => length));
    await this.#validated;
    this.#validated = this.#watch.scoped('fill the buffers', () => {
      const uniforms = plan.uniforms();
      plan.groups ??= this.#bind(written, uniforms);
      device.queue.writeBuffer(uniforms, 0, words, 0, count * SLOT);
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      for (const [i, group] of plan.groups.slice(0, count).entries()) {
        const pipeline = pipelines[i];
        if (pipeline && pipeline !== pipelines[i - 1]) pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        pass.dispatchWorkgroups(Math.min(Math.ceil(longest / WORKGROUP), MAX_GROUPS));
      }
      pass.end();
      device.queue.submit([encoder.finish()]);
    });
    // Not unhandled if there is no next.
    this.#validated.catch(() => undefined);
  }

  #bind(written: readonly Written[], uniforms: GPUBuffer): GPUBindGroup[] {
    const { device } = this.#watch;
    const layout = bindGroupLayoutOf(device, BINDINGS);
    return written.map(({ buffer }, i) => {
      const words = { buffer: uniforms, offset: i * BINDING_ALIGNMENT, size: BINDING_ALIGNMENT };
      return bindGroupOf(device, layout, [buffer, words]);
    });
  }

  /** The kept uniform buffer, made larger if it is too small. */
  #memory(slots: number): GPUBuffer {
    if (this.#uniforms && this.#uniforms.size >= slots * BINDING_ALIGNMENT) return this.#uniforms;
    this.destroy();
    this.#uniforms = createUniforms(this.#watch.device, slots);
    return this.#uniforms;
  }

  destroy(): void {
    this.#uniforms?.destroy();
    this.#uniforms = null;
  }
}

const createUniforms = (device: GPUDevice, slots: number): GPUBuffer =>
  createConstants(device, { type: 'uniform', words: [], bytes: slots * BINDING_ALIGNMENT });

function writtenBy(parts: readonly GPUBufferBinding[], fills: readonly Fill[]): Written[] {
  return fills.flatMap((fill, i) => {
    const buffer = parts[i];
    const words = fillWords(fill);
    return buffer ? [{ source: fillSource(fill), buffer, words, length: fill.length }] : [];
  });
}

/** The word of an f32. */
export function floatBits(value: number): number {
  return new Uint32Array(new Float32Array([value]).buffer)[0] ?? 0;
}
