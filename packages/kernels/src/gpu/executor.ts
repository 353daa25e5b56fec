import { wallTickNs } from '../clock';
import type { Executor, Prepared, PrepareOptions, Timer } from '../executor';
import { fillsOf } from '../inputs';
import type { Variant } from '../kernel';
import { opOf } from '../ops';
import type { Probe, ProbeRequest } from '../probe/probe';
import type { Problem } from '../problem';
import { specialise } from '../specialise';
import { resolveVariant } from '../variant';
import { type BufferSet, createBufferSet, destroyBufferSet, timeUpload } from './buffers';
import { bindGroupOf, Filler, uniformOf } from './fill';
import { type BindingType, Pipelines } from './pipelines';
import { type GpuContext, GpuPrepared } from './prepared';
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

  async prepare(variant: Variant, problem: Problem, options: PrepareOptions): Promise<Prepared> {
    const { definition, tunables } = resolveVariant(variant.kernel, variant.tunables);
    if (definition.runsOn !== 'gpu') {
      throw new TypeError(`${definition.id} runs on the host: use the host executor`);
    }
    const op = opOf(problem);
    const bindings: BindingType[] = [
      ...op.inputs(problem.shape).map((): BindingType => 'read-only-storage'),
      'storage',
      'uniform',
    ];
    const source = specialise(definition, tunables, problem.dtype);
    const entryPoint = definition.entryPoint?.(tunables, problem) ?? 'main';
    const { pipeline, compileNs } = await this.#pipelines.compile(source, bindings, entryPoint);

    const { watch } = this.#context;
    const buffers = await this.#allocate(problem, options);
    const uploadNs = await this.#fill(buffers, problem, options);
    const binding = await watch.scoped('bind the buffers', () => {
      const shape = uniformOf(watch.device, op.sizes(problem.shape));
      const sets = buffers.map((set) => {
        const resources = [...set.inputs, set.output, shape].map((buffer) => ({ buffer }));
        return { ...set, group: bindGroupOf(watch.device, pipeline, resources) };
      });
      const workgroups = definition.workgroups(tunables, problem);
      return { pipeline, workgroups, sets, shape };
    });
    const prepared = new GpuPrepared(this.#context, problem, binding, compileNs, uploadNs);
    await prepared.poison();
    return prepared;
  }

  async probe(request: ProbeRequest): Promise<Probe> {
    return prepareProbe(this.#context, this.#pipelines, request);
  }

  destroy(): void {
    this.#context.timestamps?.destroy();
  }

  async #allocate(problem: Problem, { bufferSets }: PrepareOptions): Promise<BufferSet[]> {
    const { watch } = this.#context;
    const buffers: BufferSet[] = [];
    try {
      for (let set = 0; set < bufferSets; set++) {
        const what = `allocate buffer set ${set + 1} of ${bufferSets}`;
        buffers.push(await watch.scoped(what, () => createBufferSet(watch.device, problem)));
      }
      return buffers;
    } catch (error) {
      buffers.forEach(destroyBufferSet);
      throw error;
    }
  }

  /** Fills the inputs of every set; returns the time to upload those of the first, ns. */
  async #fill(
    buffers: readonly BufferSet[],
    problem: Problem,
    { seed, inputs: mode = 'uniform' }: PrepareOptions,
  ): Promise<number> {
    let uploadNs = 0;
    for (const [set, { inputs }] of buffers.entries()) {
      if (set === 0) uploadNs = await timeUpload(this.#context.watch, { inputs });
      for (const [i, fill] of fillsOf(problem, { seed, set, mode }).entries()) {
        const buffer = inputs[i];
        if (buffer) await this.#context.filler.fill(buffer, fill, problem.dtype);
      }
    }
    return uploadNs;
  }
}
