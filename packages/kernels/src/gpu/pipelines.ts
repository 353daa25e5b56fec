import { nowNs } from '../clock';
import { CompileError } from '../errors';
import { STAGE_COMPUTE } from './usage';
import type { DeviceWatch } from './watch';

export interface Compiled {
  readonly pipeline: GPUComputePipeline;
  /** Time from source to pipeline when it was first built, ns. */
  readonly compileNs: number;
}

export type BindingType = GPUBufferBindingType;

/** Pipelines of a device by entry point and full source: nothing else identifies one. */
export class Pipelines {
  readonly #watch: DeviceWatch;
  readonly #compiled = new Map<string, Promise<Compiled>>();

  constructor(watch: DeviceWatch) {
    this.#watch = watch;
  }

  /** Throws CompileError with the line at fault; a failure is not kept. */
  async compile(
    source: string,
    bindings: readonly BindingType[],
    entryPoint = 'main',
  ): Promise<Compiled> {
    const key = `${entryPoint}\n${source}`;
    const known = this.#compiled.get(key);
    if (known) return known;
    const compiled = this.#build(source, bindings, entryPoint);
    this.#compiled.set(key, compiled);
    try {
      return await compiled;
    } catch (error) {
      this.#compiled.delete(key);
      throw error;
    }
  }

  async #build(
    source: string,
    bindings: readonly BindingType[],
    entryPoint: string,
  ): Promise<Compiled> {
    const { device } = this.#watch;
    const start = nowNs();
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code: source });
    const invalid = device.popErrorScope();
    const { messages } = await this.#watch.settled(module.getCompilationInfo());
    await this.#watch.settled(invalid);
    const error = messages.find(({ type }) => type === 'error');
    if (error) throw new CompileError(error.message, lineOf(source, error.lineNum));

    // An explicit layout keeps bindings that a body happens not to use.
    const layout = device.createBindGroupLayout({
      entries: bindings.map((type, binding) => ({
        binding,
        visibility: STAGE_COMPUTE,
        buffer: { type },
      })),
    });
    try {
      const pipeline = await device.createComputePipelineAsync({
        layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
        compute: { module, entryPoint },
      });
      return { pipeline, compileNs: nowNs() - start };
    } catch (reason) {
      throw new CompileError(reason instanceof Error ? reason.message : String(reason), null);
    }
  }
}

function lineOf(source: string, line: number): CompileError['at'] {
  const text = source.split('\n')[line - 1];
  return text === undefined ? null : { line, text };
}
