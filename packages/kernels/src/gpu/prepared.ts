import { DTYPES } from '../dtype';
import { OutOfMemory } from '../errors';
import type { InRegime, Output, Pending, Prepared, SampleOptions, Secrets } from '../executor';
import type { Kernel } from '../kernel';
import { elements } from '../op';
import { opOf } from '../ops';
import type { Problem } from '../problem';
import { type Turn, Turns } from '../rotation';
import type { Sample } from '../timing';
import { fillsOf, otherInputs, REGIME_SEED } from '../verify/fills';
import { GUARD_BYTES, type PoisonKind } from '../verify/poison';
import type { Verdict } from '../verify/verification';
import { type BufferSet, contentOf, createFarOutput, destroyBufferSet, download } from './buffers';
import type { Filler, Inputs } from './fill';
import type { Guarded } from './judge/guards';
import type { Case, Judge } from './judge/judge';
import { type Earlier, type PassTimer, submitPass, timePass } from './pass';

/** What all variants prepared by one executor share. */
export interface GpuContext extends PassTimer {
  readonly filler: Filler;
  readonly judge: Judge;
}

/** A compiled pass of a kernel. */
export interface Dispatch {
  readonly pipeline: GPUComputePipeline;
  readonly workgroups: readonly [x: number, y: number, z: number];
}

/** The dispatches of a kernel, bound to every buffer set of a problem. */
export interface Binding {
  readonly dispatches: readonly Dispatch[];
  readonly sets: readonly BufferSet[];
  readonly inputs: Inputs;
  /** Binds inputs and an output, of whichever sets. */
  readonly group: (inputs: readonly GPUBuffer[], output: GPUBuffer) => GPUBindGroup;
  readonly constants: readonly GPUBuffer[];
  /** Memory that the dispatches of one kernel share; absent: it needs none. */
  readonly scratch: { readonly buffer: GPUBuffer; readonly bytes: number } | null;
}

/** What a variant was prepared for. */
export interface Prepares {
  readonly problem: Problem;
  readonly kernel: Pick<Kernel, 'computes' | 'errorGrowth'>;
  readonly seed: number;
  readonly secrets: Secrets;
}

export class GpuPrepared implements Prepared {
  readonly compileNs: number | null;
  readonly uploadNs: number | null;
  readonly fillNs: number;
  readonly #context: GpuContext;
  readonly #of: Prepares;
  readonly #binding: Binding;
  readonly #guard: number;
  readonly #case: Case;
  readonly #turns: Turns;
  /** By the sets of their buffers. */
  readonly #groups = new Map<string, GPUBindGroup>();
  readonly #earlier: Earlier = { quickestNs: 0 };
  /** Number of times the outputs have been poisoned. */
  #poisons = 0;

  constructor(
    context: GpuContext,
    prepares: Prepares,
    binding: Binding,
    times: Pick<Prepared, 'compileNs' | 'uploadNs' | 'fillNs'>,
  ) {
    this.compileNs = times.compileNs;
    this.uploadNs = times.uploadNs;
    this.fillNs = times.fillNs;
    this.#context = context;
    this.#of = prepares;
    this.#guard = prepares.secrets('guard');
    this.#case = { ...prepares, secret: prepares.secrets('check') };
    this.#binding = binding;
    const inputs = this.#set(0).inputs.length;
    this.#turns = new Turns({ sets: this.bufferSets, inputs }, prepares.seed);
  }

  get bufferSets(): number {
    return this.#binding.sets.length;
  }

  get newTurns(): number {
    return this.#turns.newTurns;
  }

  get parts(): number {
    return this.#context.judge.quickParts(this.#of.problem).length;
  }

  get lastSet(): number {
    return this.#turns.lastSet;
  }

  async poison(kind: PoisonKind, sets?: readonly number[]): Promise<void> {
    this.#turns.restart();
    await this.#poison(
      kind,
      this.#guarded(sets).filter(({ isScratch }) => !sets || !isScratch),
    );
  }

  async #poison(
    kind: PoisonKind,
    memory: readonly (Guarded & { readonly isScratch: boolean })[],
  ): Promise<void> {
    const { problem, secrets } = this.#of;
    const { element, isInteger } = DTYPES[problem.dtype];
    this.#poisons++;
    const plain = { kind: 0, most: 0 };
    const stale = {
      kind: isInteger ? 3 : element === 'f16' ? 2 : 1,
      most: largestStale(problem),
    };
    const [ofOutputs, ofScratch] = kind === 'nan' ? [plain, plain] : [stale, stale];
    await this.#context.filler.poison(
      memory.map(({ buffer, contentBytes, isScratch }, index) => ({
        buffer,
        first: GUARD_BYTES / 4,
        end: GUARD_BYTES / 4 + Math.ceil(contentBytes / 4),
        halves: contentBytes % 4 === 0 ? 0 : 1,
        stream: secrets(`poison ${this.#poisons}`, index),
        guard: this.#guard,
        ...(isScratch ? ofScratch : ofOutputs),
      })),
    );
  }

  async refill(seed: number, next?: SampleOptions): Promise<void> {
    await this.#binding.inputs.fill(seed, this.#turns.reseed(seed, next));
  }

  async sample(options: SampleOptions): Promise<Sample> {
    const repetition = { dispatches: options.dispatches, earlier: this.#earlier };
    return timePass(this.#context, (pass) => this.#encode(pass, options), repetition);
  }

  async beginJudged(options: SampleOptions, sets: readonly number[]): Promise<Pending<Verdict>> {
    await submitPass(this.#context.watch, (pass) => this.#encode(pass, options));
    return this.#judge(sets);
  }

  async beginFingerprint(): Promise<Pending<string>> {
    const one = { dispatches: 1, rotate: false };
    await submitPass(this.#context.watch, (pass) => this.#encode(pass, one));
    return this.#context.judge.fingerprint(this.#set(0).output, this.#outputBytes);
  }

  async verify(sets: readonly number[], part?: number): Promise<Verdict> {
    return (await this.#judge(sets, part)).answer;
  }

  async #judge(sets: readonly number[], part?: number): Promise<Pending<Verdict>> {
    const { judge } = this.#context;
    const parts = part === undefined ? {} : { part: judge.quickParts(this.#of.problem)[part] };
    const outputs = sets.map((set) => ({
      ...parts,
      inputs: this.#inputs(this.#turns.inputsOf(set)),
      output: this.#set(set).output,
      choice: this.#turns.choiceOf(set),
    }));
    return judge.judge(this.#case, outputs, this.#guarded(sets), this.#guard);
  }

  async verifyRegimes(): Promise<readonly InRegime[]> {
    const { problem } = this.#of;
    const { filler, judge, watch } = this.#context;
    const { dispatches } = this.#binding;
    const { inputs } = this.#set(0);
    const far = await this.#farOutput();
    const output = far ?? this.#set(0).output;
    const memory = this.#guarded([0]).map((tensor) =>
      tensor.isScratch ? tensor : { ...tensor, buffer: output },
    );
    const group = this.#binding.group(inputs, output);
    const begun: (Pick<InRegime, 'words'> & Pending<Verdict>)[] = [];
    try {
      for (const { mode, words } of otherInputs(problem)) {
        const choice = { seed: REGIME_SEED, mode };
        await filler.fill(inputs.map(contentOf), fillsOf(problem, choice));
        await this.#poison('nan', memory);
        await submitPass(watch, (pass) => {
          pass.setBindGroup(0, group);
          for (const { pipeline, workgroups } of dispatches) {
            pass.setPipeline(pipeline);
            pass.dispatchWorkgroups(...workgroups);
          }
        });
        const judged = [{ choice, inputs, output }];
        const { answer } = await judge.judge(this.#case, judged, memory, this.#guard);
        begun.push({ words, answer });
      }
    } finally {
      far?.destroy();
    }
    const usual = fillsOf(problem, this.#turns.choiceOf(0));
    await filler.fill(inputs.map(contentOf), usual);
    return Promise.all(begun.map(async ({ words, answer }) => ({ words, verdict: await answer })));
  }

  /** Null where the device has no memory for it. */
  async #farOutput(): Promise<GPUBuffer | null> {
    const { watch } = this.#context;
    const create = () => createFarOutput(watch.device, this.#of.problem);
    return watch.scoped('allocate an output with its surroundings', create).catch((error) => {
      if (error instanceof OutOfMemory) return null;
      throw error;
    });
  }

  async readOutput(bufferSet: number): Promise<Output> {
    const bytes = this.#outputBytes;
    const size = Math.ceil(bytes / 4) * 4;
    const { output } = this.#set(bufferSet);
    const read = await download(this.#context.watch, output, GUARD_BYTES, size);
    const { fromDevice } = DTYPES[this.#of.problem.dtype];
    return {
      bytes: new Uint8Array(read.bytes, 0, bytes),
      downloadNs: read.ns,
      tensor: () => fromDevice(read.bytes, bytes / DTYPES[this.#of.problem.dtype].bytes),
    };
  }

  destroy(): void {
    for (const set of this.#binding.sets) destroyBufferSet(set);
    this.#binding.inputs.destroy();
    for (const buffer of this.#binding.constants) buffer.destroy();
    this.#binding.scratch?.buffer.destroy();
  }

  get #outputBytes(): number {
    const { shape, dtype } = this.#of.problem;
    return elements(opOf(this.#of.problem).output(shape)) * DTYPES[dtype].bytes;
  }

  #inputs(sets: readonly number[]): GPUBuffer[] {
    return sets.flatMap((set, input) => this.#set(set).inputs[input] ?? []);
  }

  #group({ inputs, output }: Turn): GPUBindGroup {
    const key = `${inputs} ${output}`;
    const known = this.#groups.get(key);
    if (known) return known;
    const group = this.#binding.group(this.#inputs(inputs), this.#set(output).output);
    this.#groups.set(key, group);
    return group;
  }

  #set(index: number) {
    const set = this.#binding.sets[index];
    if (!set) throw new RangeError(`no buffer set ${index} of ${this.bufferSets}`);
    return set;
  }

  /** The outputs of some sets, all by default, and the scratch memory. */
  #guarded(
    sets: readonly number[] = this.#binding.sets.map((_, index) => index),
  ): readonly (Guarded & { readonly isScratch: boolean })[] {
    const { scratch } = this.#binding;
    const contentBytes = this.#outputBytes;
    return [
      ...sets.map((set) => ({
        buffer: this.#set(set).output,
        contentBytes,
        what: 'its output',
        isScratch: false,
      })),
      ...(scratch
        ? [
            {
              buffer: scratch.buffer,
              contentBytes: scratch.bytes,
              what: 'its scratch memory',
              isScratch: true,
            },
          ]
        : []),
    ];
  }

  #encode(pass: GPUComputePassEncoder, options: SampleOptions): void {
    const { dispatches } = this.#binding;
    let isFirst = true;
    for (const turn of this.#turns.take(options)) {
      pass.setBindGroup(0, this.#group(turn));
      for (const { pipeline, workgroups } of dispatches) {
        if (dispatches.length > 1 || isFirst) pass.setPipeline(pipeline);
        pass.dispatchWorkgroups(...workgroups);
      }
      isFirst = false;
    }
  }
}

/** Magnitude of values that look like a result: products of inputs uniform in a range, summed. */
function largestStale(problem: Problem): number {
  const range = fillsOf(problem, { seed: 0 })[0]?.range || 1;
  const terms = opOf(problem).terms(problem.shape);
  return terms > 1 ? range * range * Math.sqrt(terms / 3) : range;
}
