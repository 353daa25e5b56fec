import { OutOfMemory } from '../errors';
import type {
  InRegime,
  Output,
  Pending,
  Prepared,
  Remark,
  SampleOptions,
  Secrets,
} from '../executor';
import type { Kernel } from '../kernel/kernel';
import { DTYPES } from '../problem/dtype';
import { elements } from '../problem/op';
import { opOf } from '../problem/ops';
import type { Problem } from '../problem/problem';
import { type Turn, Turns, tensorsOf } from '../rotation';
import type { Sample } from '../timing';
import { fillsOf, otherInputs, REGIME_SEED } from '../verify/fills';
import { GUARD_BYTES, type PoisonKind } from '../verify/poison';
import type { Verdict } from '../verify/verification';
import { type BufferSet, contentOf, createFarOutput, destroyBufferSet, download } from './buffers';
import type { Filler, Inputs, Poisons } from './fill';
import type { Guarded } from './judge/guards';
import type { Case, Judge } from './judge/judge';
import { type Earlier, type PassTimer, submitPass, timePass, timePasses } from './pass';

/** The parts that all variants prepared by one executor share. */
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
  /** Binds inputs and an output, of whichever sets, with the guards behind them unless it is `exact`. */
  readonly group: (
    inputs: readonly GPUBuffer[],
    output: GPUBuffer,
    exact?: boolean,
  ) => GPUBindGroup;
  readonly constants: readonly GPUBuffer[];
  /** Memory that the dispatches of one kernel share; absent: it needs none. */
  readonly scratch: { readonly buffer: GPUBuffer; readonly bytes: number } | null;
}

/** The problem and options that a variant was prepared for. */
export interface Prepares {
  readonly problem: Problem;
  readonly kernel: Pick<Kernel, 'computes' | 'errorGrowth'>;
  readonly seed: number;
  readonly secrets: Secrets;
}

/** Memory that a kernel writes. */
type ItsMemory = Guarded & { readonly isScratch: boolean };

export class GpuPrepared implements Prepared {
  readonly compileNs: number | null;
  readonly remarks: readonly Remark[];
  readonly uploadNs: number | null;
  readonly fillNs: number;
  readonly #context: GpuContext;
  readonly #prepares: Prepares;
  readonly #binding: Binding;
  readonly #guard: number;
  readonly #case: Case;
  readonly #turns: Turns;
  /** By the sets of their buffers. */
  readonly #groups = new Map<string, GPUBindGroup>();
  readonly #earlier: Earlier = { quickestNs: 0 };
  /** Number of times the outputs have been poisoned. */
  #poisons = 0;
  #poisonsOfAll: Promise<Poisons> | null = null;

  constructor(
    context: GpuContext,
    prepares: Prepares,
    binding: Binding,
    made: Required<Pick<Prepared, 'compileNs' | 'remarks' | 'uploadNs' | 'fillNs'>>,
  ) {
    this.compileNs = made.compileNs;
    this.remarks = made.remarks;
    this.uploadNs = made.uploadNs;
    this.fillNs = made.fillNs;
    this.#context = context;
    this.#prepares = prepares;
    this.#guard = prepares.secrets('guard');
    this.#case = prepares;
    this.#binding = binding;
    const tensors = tensorsOf(prepares.problem);
    this.#turns = new Turns({ sets: this.bufferSets, tensors }, prepares.seed);
  }

  get bufferSets(): number {
    return this.#binding.sets.length;
  }

  get newTurns(): number {
    return this.#turns.newTurns;
  }

  get parts(): number {
    return this.#context.judge.quickParts(this.#prepares.problem).length;
  }

  get lastSet(): number {
    return this.#turns.lastSet;
  }

  async poison(kind: PoisonKind, sets?: number): Promise<void> {
    this.#turns.restart();
    const memory = this.#guarded();
    this.#poisonsOfAll ??= this.#poisonsOf(memory);
    await this.#poison(kind, memory.slice(0, sets), await this.#poisonsOfAll);
  }

  #poisonsOf(memory: readonly Guarded[]): Promise<Poisons> {
    return this.#context.filler.poisonsOf(memory.map(({ buffer }) => buffer));
  }

  async #poison(kind: PoisonKind, memory: readonly ItsMemory[], poisons: Poisons): Promise<void> {
    const { problem, secrets } = this.#prepares;
    const { element, isInteger } = DTYPES[problem.dtype];
    this.#poisons++;
    const plain = { kind: 0, most: 0 };
    const stale = {
      kind: isInteger ? 3 : element === 'f16' ? 2 : 1,
      most: largestStale(problem),
    };
    const [ofOutputs, ofScratch] = kind === 'nan' ? [plain, plain] : [stale, stale];
    await poisons.write(
      memory.map(({ contentBytes, isScratch }, index) => ({
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

  async samples(options: SampleOptions, passes: number, untimed: number): Promise<number[]> {
    const { timestamps, watch } = this.#context;
    if (!timestamps) throw new Error('this device has no timestamps: take one sample at a time');
    const encode = (pass: GPUComputePassEncoder) => this.#encode(pass, options);
    return timePasses({ watch, timestamps }, encode, { passes, untimed });
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

  audit(): Promise<void> {
    return this.#context.judge.audit();
  }

  async #judge(sets: readonly number[], part?: number): Promise<Pending<Verdict>> {
    const { judge } = this.#context;
    const parts =
      part === undefined ? {} : { part: judge.quickParts(this.#prepares.problem)[part] };
    const outputs = sets.map((set) => ({
      ...parts,
      inputs: this.#inputs(this.#turns.inputsOf(set)),
      output: this.#set(set).output,
      choice: this.#turns.choiceOf(set),
    }));
    return judge.judge(this.#case, outputs, this.#guarded(sets), this.#guard);
  }

  async verifyRegimes(): Promise<readonly InRegime[]> {
    const { problem } = this.#prepares;
    const { filler, judge, watch } = this.#context;
    const { dispatches } = this.#binding;
    const { inputs } = this.#set(0);
    const far = await this.#farOutput();
    const begun: (Pick<InRegime, 'words'> & Pending<Verdict>)[] = [];
    try {
      for (const { mode, words, isExact, seeds } of otherInputs(problem)) {
        const output = (isExact ? null : far) ?? this.#set(0).output;
        const memory = this.#guarded([0]).map((tensor) =>
          tensor.isScratch ? tensor : { ...tensor, buffer: output },
        );
        const group = this.#binding.group(inputs, output, isExact);
        const choice = { seed: REGIME_SEED, mode, ...(seeds && { seeds }) };
        await filler.fill(inputs.map(contentOf), fillsOf(problem, choice));
        const written = memory.filter(({ isScratch }) => !(seeds && isScratch));
        const poisons = await this.#poisonsOf(written);
        await this.#poison('nan', written, poisons);
        poisons.destroy();
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
    const create = () => createFarOutput(watch.device, this.#prepares.problem);
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
    const { fromDevice } = DTYPES[this.#prepares.problem.dtype];
    return {
      bytes: new Uint8Array(read.bytes, 0, bytes),
      downloadNs: read.ns,
      tensor: () => fromDevice(read.bytes, bytes / DTYPES[this.#prepares.problem.dtype].bytes),
    };
  }

  destroy(): void {
    for (const set of this.#binding.sets) destroyBufferSet(set);
    this.#binding.inputs.destroy();
    this.#poisonsOfAll?.then((poisons) => poisons.destroy()).catch(() => undefined);
    for (const buffer of this.#binding.constants) buffer.destroy();
    this.#binding.scratch?.buffer.destroy();
  }

  get #outputBytes(): number {
    const { shape, dtype } = this.#prepares.problem;
    return elements(opOf(this.#prepares.problem).output(shape)) * DTYPES[dtype].bytes;
  }

  #inputs(sets: readonly number[]): GPUBuffer[] {
    return sets.flatMap((set, input) => this.#set(set).inputs[input] ?? []);
  }

  #group({ inputs, output }: Turn): GPUBindGroup {
    const key = `${inputs} ${output}`;
    const cached = this.#groups.get(key);
    if (cached) return cached;
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
  ): readonly ItsMemory[] {
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
