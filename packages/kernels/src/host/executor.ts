/**
 * Running kernels on the host CPU, the baseline of every ladder: executor.ts prepares and times
 * them, job.ts is the work of one thread. Threads come from a pool that the caller supplies.
 */

import type {
  Executor,
  InRegime,
  Output,
  Pending,
  Prepared,
  PrepareOptions,
  SampleOptions,
  Secrets,
} from '../executor';
import type { HostKernel, TunableValues, Variant } from '../kernel/kernel';
import { resolveVariant } from '../kernel/variant';
import { hash32, type Rows, splitRows } from '../numbers';
import { DTYPES } from '../problem/dtype';
import { allocate, elements } from '../problem/op';
import { allTerms, opOf } from '../problem/ops';
import type { Problem } from '../problem/problem';
import type { Tensor } from '../problem/scalar';
import { Turns, tensorsOf } from '../rotation';
import { nowNs, type Sample, wallTickNs } from '../timing';
import { type InputChoice, otherInputs, REGIME_SEED, roundingOn, seedOfSet } from '../verify/fills';
import { inputTensors, refillTensors } from '../verify/inputs';
import { POISON_WORD, type PoisonKind } from '../verify/poison';
import { merged, type OutputCheck, type Verdict } from '../verify/verification';
import { drawSecret, outputCheck } from '../verify/verify';
import type { HostPool } from './job';

/**
 * Creates an executor of host kernels, timed by the wall clock. Kernels that divide their rows
 * among threads need a pool; without one, `prepare` throws Error for them.
 */
export function createHostExecutor(pool: HostPool | null = null): Executor {
  return {
    timer: { kind: 'wall', tickNs: wallTickNs() },
    prepare: async (variant: Variant, problem: Problem, options: PrepareOptions) => {
      const { definition, tunables } = resolveVariant(variant.kernel, variant.tunables);
      if (definition.runsOn !== 'cpu') {
        throw new TypeError(`${definition.id} needs the GPU executor`);
      }
      const run = runnerOf(definition, tunables, problem, pool);
      const beganNs = nowNs();
      const sets = createSets(problem, options, definition.threads !== undefined);
      const fillNs = nowNs() - beganNs;
      return new HostPrepared({ run, problem, kernel: definition, options }, sets, fillNs);
    },
    compile: async () => {},
    probe: async () => null,
    destroy: () => {},
  };
}

/** Multiply-adds of a reference that takes about a second. */
const QUICK_WORK = 2 ** 31;

interface TensorSet {
  readonly inputs: readonly Tensor[];
  readonly output: Tensor;
}

/** The problem and options that a variant was prepared for. */
interface Prepares {
  readonly run: Invoke;
  readonly problem: Problem;
  readonly kernel: HostKernel;
  readonly options: PrepareOptions;
}

/** Runs a kernel once on a set; returns a promise only if it waits for threads. */
type Invoke = (set: TensorSet) => Promise<void> | undefined;

function runnerOf(
  kernel: HostKernel,
  values: TunableValues,
  problem: Problem,
  pool: HostPool | null,
): Invoke {
  const { rows } = opOf(problem).output(problem.shape);
  if (!kernel.threads) {
    return ({ inputs, output }) => {
      kernel.run(values, problem, inputs, output, { first: 0, end: rows });
      return undefined;
    };
  }
  if (!pool) throw new Error(`${kernel.id} needs threads: pass createHostExecutor a pool`);
  const threads = kernel.threads(values);
  const parts = splitRows(rows, threads === 'all' ? pool.threads : threads);
  return (set) =>
    pool.run(parts.map((part) => ({ kernel: kernel.id, values, problem, ...set, rows: part })));
}

function createSets(
  problem: Problem,
  { seed, bufferSets }: PrepareOptions,
  shared: boolean,
): TensorSet[] {
  const length = elements(opOf(problem).output(problem.shape));
  return Array.from({ length: bufferSets }, (_, set) => ({
    inputs: inputTensors(problem, { seed: seedOfSet(seed, set) }, shared),
    output: allocate(DTYPES[problem.dtype], length, shared),
  }));
}

class HostPrepared implements Prepared {
  readonly compileNs = 0;
  readonly uploadNs = null;
  readonly #prepares: Prepares;
  readonly #sets: readonly TensorSet[];
  readonly #secrets: Secrets;
  readonly #turns: Turns;
  readonly #parts: readonly Rows[];
  /** By the sets of the inputs, as they are now. */
  readonly #checks = new Map<string, OutputCheck>();
  #poisons = 0;

  constructor(
    prepares: Prepares,
    sets: readonly TensorSet[],
    readonly fillNs: number,
  ) {
    this.#prepares = prepares;
    this.#sets = sets;
    this.#secrets = prepares.options.secrets ?? drawSecret;
    const tensors = tensorsOf(prepares.problem);
    this.#turns = new Turns({ sets: sets.length, tensors }, prepares.options.seed);
    const { rows } = opOf(prepares.problem).output(prepares.problem.shape);
    this.#parts = splitRows(rows, Math.ceil(allTerms(prepares.problem) / QUICK_WORK));
  }

  get bufferSets(): number {
    return this.#sets.length;
  }

  get newTurns(): number {
    return this.#turns.newTurns;
  }

  get parts(): number {
    return this.#parts.length;
  }

  get lastSet(): number {
    return this.#turns.lastSet;
  }

  /** There are no guards: a typed array cannot be written past its end. */
  async poison(kind: PoisonKind, sets?: number): Promise<void> {
    const stream = this.#secrets('poison', ++this.#poisons);
    this.#turns.restart();
    for (const { output } of this.#sets.slice(0, sets)) {
      if (kind === 'nan') new Int32Array(output.buffer).fill(POISON_WORD);
      else for (let i = 0; i < output.length; i++) output[i] = (hash32(i + stream) >>> 24) - 127.5;
    }
  }

  async refill(seed: number, next?: SampleOptions): Promise<void> {
    this.#checks.clear();
    const those = this.#sets.slice(0, this.#turns.reseed(seed, next));
    for (const [set, { inputs }] of those.entries()) {
      refillTensors(inputs, this.#prepares.problem, { seed: seedOfSet(seed, set) });
    }
  }

  /**
   * Floats on integers, whose sums are exact; moves on all bits. Sums of integers on the host are not held
   * to WGSL's: they wrap there.
   */
  async verifyRegimes(): Promise<readonly InRegime[]> {
    const { problem, kernel, run } = this.#prepares;
    const { norms } = opOf(problem).verification;
    const those = otherInputs(problem).filter(
      ({ mode }) => mode === 'integers' || (mode === 'bits' && !norms),
    );
    const { inputs, output } = this.#set(0);
    const verdicts: InRegime[] = [];
    for (const { mode, words, seeds } of those) {
      const choice: InputChoice = { seed: REGIME_SEED, mode, ...(seeds && { seeds }) };
      refillTensors(inputs, problem, choice);
      await this.poison('nan', 1);
      await run(this.#set(0));
      const { computes, errorGrowth } = kernel;
      const rounding = roundingOn(problem, choice, kernel);
      const options = { computes, errorGrowth, rounding };
      verdicts.push({ words, verdict: outputCheck(problem, inputs, options)(output) });
    }
    if (those.length > 0) refillTensors(inputs, problem, this.#turns.choiceOf(0));
    return verdicts;
  }

  async beginJudged(options: SampleOptions, sets: readonly number[]): Promise<Pending<Verdict>> {
    await this.sample(options);
    return { answer: Promise.resolve(await this.verify(sets)) };
  }

  async verify(sets: readonly number[], part?: number): Promise<Verdict> {
    const rows = part === undefined ? undefined : this.#parts[part];
    return merged(sets.map((set) => this.#check(set)(this.#set(set).output, rows)));
  }

  /** There is no reference but the host's. */
  async audit(): Promise<void> {}

  #inputs(sets: readonly number[]): Tensor[] {
    return sets.flatMap((set, input) => this.#set(set).inputs[input] ?? []);
  }

  #check(set: number): OutputCheck {
    const sets = this.#turns.inputsOf(set);
    const cached = this.#checks.get(String(sets));
    if (cached) return cached;
    const { problem, kernel } = this.#prepares;
    const { computes, errorGrowth } = kernel;
    const check = outputCheck(problem, this.#inputs(sets), {
      computes,
      errorGrowth,
      rounding: roundingOn(problem, { seed: 0 }, kernel),
    });
    this.#checks.set(String(sets), check);
    return check;
  }

  async sample(options: SampleOptions): Promise<Sample> {
    const bound = Array.from(this.#turns.take(options), ({ inputs, output }) => ({
      inputs: this.#inputs(inputs),
      output: this.#set(output).output,
    }));
    const start = nowNs();
    for (const set of bound) {
      // Awaited only if it is a promise: a turn of the event loop must not count as kernel time.
      const pending = this.#prepares.run(set);
      if (pending) await pending;
    }
    const ns = nowNs() - start;
    return { ns, wallNs: ns };
  }

  async beginFingerprint(): Promise<Pending<string>> {
    await this.sample({ dispatches: 1, rotate: false });
    const { buffer, byteOffset, byteLength } = this.#set(0).output;
    let [one, other] = [0, 0];
    for (const [i, word] of new Uint32Array(buffer, byteOffset, byteLength / 4).entries()) {
      const mixed = hash32(word ^ hash32(i));
      one = (one + mixed) | 0;
      other = (other + hash32(mixed + i)) | 0;
    }
    return { answer: Promise.resolve(`${one},${other}`) };
  }

  /** The output is in host memory already: 0 ns. */
  async readOutput(bufferSet: number): Promise<Output> {
    const tensor = this.#set(bufferSet).output.slice();
    return { bytes: new Uint8Array(tensor.buffer), downloadNs: 0, tensor: () => tensor };
  }

  destroy(): void {}

  #set(index: number): TensorSet {
    const set = this.#sets[index];
    if (!set) throw new RangeError(`no buffer set ${index} of ${this.bufferSets}`);
    return set;
  }
}
