import { CompileError } from '../errors';
import type { Remark } from '../executor';
import { nowNs } from '../timing';
import type { DeviceWatch } from './watch';

/** `GPUShaderStage.COMPUTE`. */
const STAGE_COMPUTE = 0x4;

interface Compiled {
  readonly pipeline: GPUComputePipeline;
  /** Time from source to pipeline when first built, ns; null if the device did other work meanwhile. */
  readonly compileNs: number | null;
  readonly remarks: readonly Remark[];
}

interface CompileOptions {
  /** Absent: `main`. */
  readonly entryPoint?: string;
  /** Whether the device does other work while this compiles; absent: no. */
  readonly isAhead?: boolean;
}

export type BindingType = GPUBufferBindingType;

const layouts = new WeakMap<GPUDevice, Map<string, GPUBindGroupLayout>>();

/** The layout of group 0: a buffer at each binding, including those that a shader does not use. */
export function bindGroupLayoutOf(
  device: GPUDevice,
  bindings: readonly BindingType[],
): GPUBindGroupLayout {
  const ofDevice = layouts.get(device) ?? new Map<string, GPUBindGroupLayout>();
  layouts.set(device, ofDevice);
  const key = bindings.join();
  const cached = ofDevice.get(key);
  if (cached) return cached;
  const entries = bindings.map((type, binding) => ({
    binding,
    visibility: STAGE_COMPUTE,
    buffer: { type },
  }));
  const layout = device.createBindGroupLayout({ entries });
  ofDevice.set(key, layout);
  return layout;
}

/** Binds buffers, or parts of them, to group 0 in order. */
export function bindGroupOf(
  device: GPUDevice,
  layout: GPUBindGroupLayout,
  buffers: readonly (GPUBuffer | GPUBufferBinding)[],
): GPUBindGroup {
  return device.createBindGroup({
    layout,
    entries: buffers.map((bound, binding) => ({
      binding,
      resource: 'buffer' in bound ? bound : { buffer: bound },
    })),
  });
}

/** Pipelines of a device, cached by entry point and full source. */
export class Pipelines {
  readonly #watch: DeviceWatch;
  readonly #compiled = new Map<string, Promise<Compiled>>();

  constructor(watch: DeviceWatch) {
    this.#watch = watch;
  }

  /**
   * Builds an entry point of a source, or returns the pipeline built before with an equal layout.
   * Throws CompileError with the offending line; a failure is not cached.
   */
  async compile(
    source: string,
    layout: GPUBindGroupLayout,
    { entryPoint = 'main', isAhead = false }: CompileOptions = {},
  ): Promise<Compiled> {
    // As it is where it can be, because it was hashed before and a copy was not.
    const key = entryPoint === 'main' ? source : `${entryPoint}\n${source}`;
    const cached = this.#compiled.get(key);
    if (cached) return cached;
    const compiled = this.#build(source, layout, { entryPoint, isAhead });
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
    layout: GPUBindGroupLayout,
    { entryPoint, isAhead }: Required<CompileOptions>,
  ): Promise<Compiled> {
    const { device } = this.#watch;
    const beganNs = nowNs();
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code: source });
    const invalid = device.popErrorScope();
    const { messages } = await this.#watch.settled(module.getCompilationInfo());
    await this.#watch.settled(invalid);
    const error = messages.find(({ type }) => type === 'error');
    if (error) throw new CompileError(error.message, placeOf(source, error));

    try {
      const pipeline = await device.createComputePipelineAsync({
        layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
        compute: { module, entryPoint },
      });
      const compileNs = isAhead ? null : nowNs() - beganNs;
      return { pipeline, compileNs, remarks: messages.map(remarkOf) };
    } catch (reason) {
      // If the device was lost while compiling, the shader is not to blame.
      await this.#watch.alive();
      throw new CompileError(reason instanceof Error ? reason.message : String(reason), null);
    }
  }
}

const remarkOf = ({
  lineNum: line,
  linePos: column,
  message,
  type,
}: GPUCompilationMessage): Remark => ({
  line,
  column,
  message: `${type === 'info' ? 'note' : type}: ${message}`,
});

function placeOf(
  source: string,
  { lineNum: line, linePos: column }: GPUCompilationMessage,
): CompileError['at'] {
  const text = source.split('\n')[line - 1];
  return text === undefined ? null : { line, column, text };
}
