import type { Dtype } from '../dtype';
import { type Fill, FRACTION_BITS } from '../inputs';
import { POISON_WORD } from '../poison';
import { typeHeader } from '../specialise';
import fillWgsl from './fill.wgsl';
import { type BindingType, bindGroupLayoutOf, bindGroupOf, type Pipelines } from './pipelines';
import poisonWgsl from './poison.wgsl';
import { BufferUsage } from './usage';
import type { DeviceWatch } from './watch';

const WORKGROUP = 256;
/** Workgroups of a fill; each thread strides over the rest. */
const MAX_GROUPS = 4_096;

/** Writes inputs and poison on the device, so that large tensors need no upload. */
export class Filler {
  readonly #watch: DeviceWatch;
  readonly #pipelines: Pipelines;

  constructor(watch: DeviceWatch, pipelines: Pipelines) {
    this.#watch = watch;
    this.#pipelines = pipelines;
  }

  /** Fills each buffer as the fill beside it describes; bits equal those of `inputTensors`. */
  async fill(buffers: readonly GPUBuffer[], fills: readonly Fill[], dtype: Dtype): Promise<void> {
    const source = [
      typeHeader(dtype),
      `const FRACTION_BITS = ${FRACTION_BITS[dtype]}u;`,
      fillWgsl,
    ].join('\n');
    const uniforms = fills.map(({ length, stream, range }) =>
      uniformOf(this.#watch.device, [length, stream, range]),
    );
    const longest = Math.max(...fills.map(({ length }) => length));
    const bindings = uniforms.flatMap((uniform, i) => {
      const buffer = buffers[i];
      return buffer ? [[buffer, uniform]] : [];
    });
    await this.#run(source, ['storage', 'uniform'], bindings, longest);
    for (const uniform of uniforms) uniform.destroy();
  }

  /** Writes POISON_WORD over whole buffers. */
  async poison(buffers: readonly GPUBuffer[]): Promise<void> {
    const source = `const POISON_WORD = ${POISON_WORD}u;\n${poisonWgsl}`;
    const longest = Math.max(...buffers.map(({ size }) => size / 4));
    const bindings = buffers.map((buffer) => [buffer]);
    await this.#run(source, ['storage'], bindings, longest);
  }

  /** Runs a shader once for each group of buffers, in one submission: each costs a wait. */
  async #run(
    source: string,
    bindings: readonly BindingType[],
    groups: readonly (readonly GPUBuffer[])[],
    length: number,
  ): Promise<void> {
    const { device } = this.#watch;
    const layout = bindGroupLayoutOf(device, bindings);
    const { pipeline } = await this.#pipelines.compile(source, layout);
    await this.#watch.scoped('fill the buffers', () => {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      for (const buffers of groups) {
        pass.setBindGroup(0, bindGroupOf(device, layout, buffers));
        pass.dispatchWorkgroups(Math.min(Math.ceil(length / WORKGROUP), MAX_GROUPS));
      }
      pass.end();
      device.queue.submit([encoder.finish()]);
    });
    await this.#watch.idle();
  }
}

/** A uniform buffer of u32 words. */
export function uniformOf(device: GPUDevice, words: readonly number[]): GPUBuffer {
  const buffer = device.createBuffer({
    size: Math.ceil(words.length / 4) * 16,
    usage: BufferUsage.UNIFORM | BufferUsage.COPY_DST,
  });
  device.queue.writeBuffer(buffer, 0, new Uint32Array(words));
  return buffer;
}
