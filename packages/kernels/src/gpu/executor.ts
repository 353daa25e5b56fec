import type { Executor, Prepared, PrepareOptions, Remark, Timer } from '../executor';
import { bindingsOf } from '../kernel/bindings';
/**
 * Running kernels on a WebGPU device that the caller opens (Dawn in Node, or a browser's).
 *
 * - executor.ts             compiles and binds a variant for a problem
 * - pipelines.ts            pipelines by source; compile errors
 * - subgroup-size.ts        which subgroups a device has, and choosing among them
 * - buffers.ts, fill.ts     buffer sets, filled and poisoned on the device
 * - prepared.ts, pass.ts    dispatches and their times; timestamps.ts: the GPU's clock
 * - judge/                  verifies outputs on the device; its first file is judge.ts
 * - probe.ts                measures the device itself
 * - watch.ts, polling.ts    errors that WebGPU reports asynchronously; waiting in Node
 */
import {
  constantsOf,
  type GpuKernel,
  passesOf,
  type TunableValues,
  type Variant,
} from '../kernel/kernel';
import { type Engine, sourceFor } from '../kernel/specialise';
import { resolveVariant } from '../kernel/variant';
import type { Probe, ProbeRequest } from '../probe/probe';
import type { Problem } from '../problem/problem';
import { nowNs, wallTickNs } from '../timing';
import { drawSecret } from '../verify/verify';
import {
  type BufferSet,
  contentOf,
  createBufferSet,
  createConstants,
  createScratch,
  destroyBufferSet,
  guarded,
  guardedInput,
  timeUpload,
} from './buffers';
import { Filler, type Inputs } from './fill';
import { Judge } from './judge/judge';
import { bindGroupLayoutOf, bindGroupOf, Pipelines } from './pipelines';
import { type Binding, type Dispatch, type GpuContext, GpuPrepared } from './prepared';
import { prepareLoad, prepareProbe } from './probe';
import { choosesSize, withSubgroupSize } from './subgroup-size';
import { Timestamps } from './timestamps';
import { DeviceWatch } from './watch';

interface ExecutorOptions {
  readonly engine?: Engine;
  readonly isAskedRarely?: boolean;
  readonly idlesWhileAsked?: boolean;
  readonly isQuantised?: boolean;
}

/**
 * Creates an executor on a WebGPU device that the caller has opened with the features and limits
 * that kernels may use; the caller keeps ownership of it. Throws Error if the GPU's timestamps are
 * quantised, unless that is to be expected. Without usable timestamps, samples are timed by the wall
 * clock.
 *
 * @param isQuantised a browser rounds timestamps, to a quantum that is measured
 * @param engine what compiles shaders there
 * @param isAskedRarely see DeviceWatch
 * @param idlesWhileAsked waits last so long that the device's clocks fall: passes are timed
 * behind a load (an NVIDIA H200 fell to 345 of 1,980 MHz in the waits of 10 ms that Deno 2.9.6 takes, 2026-11-30)
 */
export async function createGpuExecutor(
  device: GPUDevice,
  {
    engine = 'tint',
    idlesWhileAsked = false,
    isAskedRarely = false,
    isQuantised = false,
  }: ExecutorOptions = {},
): Promise<Executor> {
  const watch = new DeviceWatch(device, isAskedRarely);
  const pipelines = new Pipelines(watch);
  const filler = new Filler(watch, pipelines);
  const judge = new Judge(watch, pipelines);
  const timestamps = device.features.has('timestamp-query') ? new Timestamps(watch) : null;
  const tickNs = await (isQuantised ? timestamps?.observeQuantumNs() : timestamps?.observeTickNs());
  const timer: Timer = tickNs
    ? { kind: 'timestamp', tickNs }
    : { kind: 'wall', tickNs: wallTickNs() };
  const clock = tickNs ? timestamps : null;
  const load = idlesWhileAsked ? await prepareLoad(watch, pipelines) : null;
  const context = { watch, filler, judge, timestamps: clock, load };
  return new GpuExecutor(context, pipelines, timer, engine);
}

class GpuExecutor implements Executor {
  readonly #context: GpuContext;
  readonly #pipelines: Pipelines;

  constructor(
    context: GpuContext,
    pipelines: Pipelines,
    readonly timer: Timer,
    readonly engine: Engine,
  ) {
    this.#context = context;
    this.#pipelines = pipelines;
  }

  async compile(variant: Variant, problem: Problem): Promise<void> {
    await this.#compile(variant, problem, { isAhead: true });
  }

  async prepare(variant: Variant, problem: Problem, options: PrepareOptions): Promise<Prepared> {
    const { definition, tunables, layout, dispatches, compileNs, remarks } = await this.#compile(
      variant,
      problem,
    );
    const { seed, secrets = drawSecret } = options;
    const buffers = await this.#allocate(problem, options);
    try {
      const uploadNs = await this.#timeUpload(buffers, options);
      // What is prepared is verified next, and shaders compile while its inputs are made.
      this.#context.filler.compileAhead();
      this.#context.judge.compileAhead({ problem, kernel: definition });
      const inputs = await this.#context.filler.inputsOf(problem, buffers);
      const fillNs = await this.#fill(inputs, options);
      const shared = await this.#createShared(definition, tunables, problem);
      const group = await this.#bind(layout, buffers, shared);
      return new GpuPrepared(
        this.#context,
        { problem, kernel: definition, seed, secrets },
        { dispatches, sets: buffers, inputs, group, ...shared },
        { compileNs, remarks, uploadNs, fillNs },
      );
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
    this.#context.judge.destroy();
    this.#context.filler.destroy();
  }

  async #compile(variant: Variant, problem: Problem, { isAhead = false } = {}) {
    const { definition, tunables } = resolveVariant(variant.kernel, variant.tunables);
    if (definition.runsOn !== 'gpu') {
      throw new TypeError(`${definition.id} runs on the host: use the host executor`);
    }
    const passes = passesOf(definition, tunables, problem);
    const { device } = this.#context.watch;
    const { subgroupSize } = definition.needs(tunables, problem.dtype);
    const written = sourceFor(definition, tunables, problem, this.engine);
    const source =
      subgroupSize !== undefined && choosesSize(device.adapterInfo, device.features)
        ? withSubgroupSize(written, subgroupSize)
        : written;
    const layout = bindGroupLayoutOf(
      this.#context.watch.device,
      bindingsOf(definition, tunables, problem).map(({ type }) => type),
    );
    const dispatches: Dispatch[] = [];
    let compileNs: number | null = 0;
    let remarks: readonly Remark[] = [];
    for (const { entryPoint, workgroups } of passes) {
      const compiled = await this.#pipelines.compile(source, layout, { entryPoint, isAhead });
      compileNs =
        compileNs === null || compiled.compileNs === null ? null : compileNs + compiled.compileNs;
      // The same for each entry point.
      if (definition.keepsLines) remarks = compiled.remarks;
      dispatches.push({ pipeline: compiled.pipeline, workgroups });
    }
    return { definition, tunables, layout, dispatches, compileNs, remarks };
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

  /** Creates the buffers that all sets share: constants such as the shape, and scratch memory if the kernel has any. */
  async #createShared(
    kernel: GpuKernel,
    values: TunableValues,
    problem: Problem,
  ): Promise<Pick<Binding, 'constants' | 'scratch'>> {
    const { watch } = this.#context;
    const bytes = kernel.scratchBytes?.(values, problem) ?? 0;
    return watch.scoped('allocate scratch memory', () => ({
      constants: constantsOf(kernel, values, problem).map((constants) =>
        createConstants(watch.device, constants),
      ),
      scratch: bytes > 0 ? { buffer: createScratch(watch.device, bytes), bytes } : null,
    }));
  }

  /** Binds each set by itself, so that a refusal is known here; the others as they are needed. */
  async #bind(
    layout: GPUBindGroupLayout,
    sets: readonly BufferSet[],
    { constants, scratch }: Pick<Binding, 'constants' | 'scratch'>,
  ): Promise<Binding['group']> {
    const { device } = this.#context.watch;
    const create: Binding['group'] = (inputs, output, exact = false) =>
      bindGroupOf(device, layout, [
        ...inputs.map((input) => (exact ? contentOf(input) : guardedInput(device, input))),
        exact ? contentOf(output) : guarded(output),
        ...constants,
        ...(scratch ? [guarded(scratch.buffer)] : []),
      ]);
    await this.#context.watch.scoped('bind the buffers', () => {
      for (const { inputs, output } of sets) create(inputs, output);
    });
    return create;
  }

  /** Times the upload of one set's inputs if asked, ns. */
  async #timeUpload(
    [first]: readonly BufferSet[],
    { timeUpload: isTimed = false }: PrepareOptions,
  ): Promise<number | null> {
    if (!first) throw new RangeError('bufferSets must be at least 1');
    return isTimed ? await timeUpload(this.#context.watch, first) : null;
  }

  /** Fills every set with inputs of its own. Returns the time that it takes, ns. */
  async #fill(inputs: Inputs, { seed }: PrepareOptions): Promise<number> {
    const beganNs = nowNs();
    await inputs.fill(seed);
    await this.#context.watch.idle();
    return nowNs() - beganNs;
  }
}
