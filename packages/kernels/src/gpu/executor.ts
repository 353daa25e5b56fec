import { nowNs, wallTickNs } from '../clock';
import type { Executor, Prepared, PrepareOptions, Timer } from '../executor';
import { fillsOf } from '../inputs';
import type { GpuKernel, TunableValues, Variant } from '../kernel';
import { opOf } from '../ops';
import { passesOf } from '../passes';
import type { Probe, ProbeRequest } from '../probe/probe';
import type { Problem } from '../problem';
import { specialise } from '../specialise';
import { resolveVariant } from '../variant';
import {
  type BufferSet,
  copyInputs,
  createBufferSet,
  createScratch,
  destroyBufferSet,
  timeUpload,
} from './buffers';
import { Filler, uniformOf } from './fill';
import { type BindingType, bindGroupLayoutOf, bindGroupOf, Pipelines } from './pipelines';
import { type Binding, type Dispatch, type GpuContext, GpuPrepared } from './prepared';
import { prepareProbe } from './probe';
import { Timestamps } from './timestamps';
import { DeviceWatch } from './watch';

/**
 * An executor on a WebGPU device that the caller opened, with the features and
 * limits the kernels may use, and keeps. Observes the GPU's clock first: throws
 * Error when its timestamps are quantised. Without `timestamp-query` samples
 * are timed by the wall clock.
 */
export async function createGpuExecutor(device: GPUDevice): Promise<Executor> {
  const watch = new DeviceWatch(device);
  const pipelines = new Pipelines(watch);
  const filler = new Filler(watch, pipelines);
  const timestamps = device.features.has('timestamp-query') ? new Timestamps(watch) : null;
  const timer: Timer = timestamps
    ? { kind: 'timestamp', tickNs: await timestamps.observeTickNs() }
    : { kind: 'wall', tickNs: wallTickNs() };
  return new GpuExecutor({ watch, filler, timestamps }, pipelines, timer);
}

class GpuExecutor implements Executor {
  readonly #context: GpuContext;
  readonly #pipelines: Pipelines;

  constructor(
    context: GpuContext,
    pipelines: Pipelines,
    readonly timer: Timer,
  ) {
    this.#context = context;
    this.#pipelines = pipelines;
  }

  async compile(variant: Variant, problem: Problem): Promise<void> {
    await this.#compile(variant, problem, { isAhead: true });
  }

  async prepare(variant: Variant, problem: Problem, options: PrepareOptions): Promise<Prepared> {
    const { definition, tunables, layout, dispatches, compileNs } = await this.#compile(
      variant,
      problem,
    );
    const buffers = await this.#allocate(problem, options);
    try {
      const times = await this.#fill(buffers, problem, options);
      const shared = await this.#createShared(definition, tunables, problem);
      const sets = await this.#bind(layout, buffers, shared);
      const binding = { dispatches, sets, shared };
      return new GpuPrepared(this.#context, problem, binding, { compileNs, ...times });
    } catch (error) {
      buffers.forEach(destroyBufferSet);
      throw error;
    }
  }

  async probe(request: ProbeRequest): Promise<Probe> {
    return prepareProbe(this.#context, this.#pipelines, request);
  }

  destroy(): void {
    this.#context.timestamps?.destroy();
  }

  async #compile(variant: Variant, problem: Problem, { isAhead = false } = {}) {
    const { definition, tunables } = resolveVariant(variant.kernel, variant.tunables);
    if (definition.runsOn !== 'gpu') {
      throw new TypeError(`${definition.id} runs on the host: use the host executor`);
    }
    const passes = passesOf(definition, tunables, problem);
    const source = specialise(definition, tunables, problem.dtype);
    const layout = bindGroupLayoutOf(
      this.#context.watch.device,
      bindingsOf(definition, tunables, problem),
    );
    const dispatches: Dispatch[] = [];
    let compileNs: number | null = 0;
    for (const { entryPoint, workgroups } of passes) {
      const compiled = await this.#pipelines.compile(source, layout, { entryPoint, isAhead });
      compileNs =
        compileNs === null || compiled.compileNs === null ? null : compileNs + compiled.compileNs;
      dispatches.push({ pipeline: compiled.pipeline, workgroups });
    }
    return { definition, tunables, layout, dispatches, compileNs };
  }

  async #allocate(problem: Problem, { bufferSets }: PrepareOptions): Promise<BufferSet[]> {
    const { watch } = this.#context;
    const buffers: BufferSet[] = [];
    try {
      await watch.scoped(`allocate ${bufferSets} buffer sets`, () => {
        for (let set = 0; set < bufferSets; set++) {
          buffers.push(createBufferSet(watch.device, problem));
        }
      });
      return buffers;
    } catch (error) {
      buffers.forEach(destroyBufferSet);
      throw error;
    }
  }

  /** Creates what every set shares: the shape, and scratch memory if the kernel has any. */
  async #createShared(
    kernel: GpuKernel,
    values: TunableValues,
    problem: Problem,
  ): Promise<GPUBuffer[]> {
    const { watch } = this.#context;
    const scratchBytes = kernel.scratchBytes?.(values, problem) ?? 0;
    return watch.scoped('allocate scratch memory', () => [
      uniformOf(watch.device, opOf(problem).sizes(problem.shape)),
      ...(scratchBytes > 0 ? [createScratch(watch.device, scratchBytes)] : []),
    ]);
  }

  async #bind(
    layout: GPUBindGroupLayout,
    buffers: readonly BufferSet[],
    shared: readonly GPUBuffer[],
  ): Promise<Binding['sets']> {
    const { watch } = this.#context;
    return watch.scoped('bind the buffers', () =>
      buffers.map((set) => ({
        ...set,
        group: bindGroupOf(watch.device, layout, [...set.inputs, set.output, ...shared]),
      })),
    );
  }

  /** Fills the inputs of every set, all alike; before that it may time the upload of one set's. */
  async #fill(
    buffers: readonly BufferSet[],
    problem: Problem,
    { seed, inputs: mode = 'uniform', timeUpload: isTimed = false }: PrepareOptions,
  ): Promise<Pick<Prepared, 'uploadNs' | 'fillNs'>> {
    const { watch, filler } = this.#context;
    const [first, ...others] = buffers;
    if (!first) throw new RangeError('bufferSets is 0: a run needs one at least');
    const uploadNs = isTimed ? await timeUpload(watch, first) : null;
    const beganNs = nowNs();
    await filler.fill(first.inputs, fillsOf(problem, { seed, mode }), problem.dtype);
    await copyInputs(watch, first, others);
    return { uploadNs, fillNs: nowNs() - beganNs };
  }
}

/** What a kernel binds: the inputs, the output, the shape, and scratch memory if it has any. */
function bindingsOf(kernel: GpuKernel, values: TunableValues, problem: Problem): BindingType[] {
  const scratchBytes = kernel.scratchBytes?.(values, problem) ?? 0;
  return [
    ...opOf(problem)
      .inputs(problem.shape)
      .map((): BindingType => 'read-only-storage'),
    'storage',
    'uniform',
    ...(scratchBytes > 0 ? (['storage'] as const) : []),
  ];
}
