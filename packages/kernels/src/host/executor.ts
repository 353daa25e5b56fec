import { nowNs, wallTickNs } from '../clock';
import type { Executor, Output, Prepared, PrepareOptions, SampleOptions } from '../executor';
import { inputTensors } from '../inputs';
import type { HostKernel, Tensor, TunableValues, Variant } from '../kernel';
import { elements } from '../op';
import { opOf } from '../ops';
import { POISON_WORD } from '../poison';
import type { Problem } from '../problem';
import { splitRows } from '../rows';
import type { Sample } from '../sample';
import { resolveVariant } from '../variant';
import type { HostPool } from './job';

/**
 * An executor of host kernels, timed by the wall clock. Kernels that share their
 * rows among threads need a pool: without one `prepare` throws Error for them.
 */
export function createHostExecutor(pool: HostPool | null = null): Executor {
  return {
    timer: { kind: 'wall', tickNs: wallTickNs() },
    prepare: async (variant: Variant, problem: Problem, options: PrepareOptions) => {
      const { definition, tunables } = resolveVariant(variant.kernel, variant.tunables);
      if (definition.runsOn !== 'cpu') {
        throw new TypeError(`${definition.id} runs on a GPU: use the GPU executor`);
      }
      const run = runnerOf(definition, tunables, problem, pool);
      const beganNs = nowNs();
      const sets = createSets(problem, options, definition.threads !== undefined);
      return new HostPrepared(run, sets, nowNs() - beganNs);
    },
    compile: async () => {},
    probe: async () => null,
    destroy: () => {},
  };
}

interface TensorSet {
  readonly inputs: readonly Tensor[];
  readonly output: Tensor;
}

/** Runs a kernel once on a set; a promise only where threads are waited for. */
type Runner = (set: TensorSet) => Promise<void> | undefined;

function runnerOf(
  kernel: HostKernel,
  values: TunableValues,
  problem: Problem,
  pool: HostPool | null,
): Runner {
  const { rows } = opOf(problem).output(problem.shape);
  if (!kernel.threads) {
    return ({ inputs, output }) => {
      kernel.run(values, problem, inputs, output, { first: 0, end: rows });
      return undefined;
    };
  }
  if (!pool) throw new Error(`${kernel.id} needs threads: give createHostExecutor a pool`);
  const threads = kernel.threads(values);
  const parts = splitRows(rows, threads === 'all' ? pool.threads : threads);
  return (set) =>
    pool.run(parts.map((part) => ({ kernel: kernel.id, values, problem, ...set, rows: part })));
}

function createSets(
  problem: Problem,
  { seed, bufferSets, inputs: mode = 'uniform' }: PrepareOptions,
  shared: boolean,
): TensorSet[] {
  const length = elements(opOf(problem).output(problem.shape));
  const originals = inputTensors(problem, { seed, mode });
  return Array.from({ length: bufferSets }, (_, set) => ({
    inputs: originals.map((input) => {
      if (set === 0 && !shared) return input;
      const copy = allocate(problem, input.length, shared);
      copy.set(input);
      return copy;
    }),
    output: allocate(problem, length, shared),
  }));
}

function allocate({ dtype }: Problem, length: number, shared: boolean): Tensor {
  const bytes = 4 * length;
  const buffer = shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
  return dtype === 'i32' ? new Int32Array(buffer) : new Float32Array(buffer);
}

class HostPrepared implements Prepared {
  readonly compileNs = 0;
  readonly uploadNs = null;
  readonly #run: Runner;
  readonly #sets: readonly TensorSet[];
  #next = 0;
  #last = 0;

  constructor(
    run: Runner,
    sets: readonly TensorSet[],
    readonly fillNs: number,
  ) {
    this.#run = run;
    this.#sets = sets;
  }

  get bufferSets(): number {
    return this.#sets.length;
  }

  get lastSet(): number {
    return this.#last;
  }

  /** No canary here: a typed array cannot be written behind its end. */
  async poison(): Promise<void> {
    for (const { output } of this.#sets) new Int32Array(output.buffer).fill(POISON_WORD);
  }

  async sample({ dispatches, rotate }: SampleOptions): Promise<Sample> {
    const start = nowNs();
    for (let i = 0; i < dispatches; i++) {
      this.#last = rotate ? this.#next++ % this.bufferSets : 0;
      // Awaited only where there is a promise: a turn of the event loop is not the kernel's time.
      const pending = this.#run(this.#set(this.#last));
      if (pending) await pending;
    }
    const ns = nowNs() - start;
    return { ns, wallNs: ns };
  }

  /** The output is in host memory already: 0 ns. */
  async readOutput(bufferSet: number): Promise<Output> {
    const tensor = this.#set(bufferSet).output.slice();
    return { bytes: new Uint8Array(tensor.buffer), downloadNs: 0, tensor: () => tensor };
  }

  destroy(): void {}

  #set(index: number): TensorSet {
    const set = this.#sets[index];
    if (!set) throw new RangeError(`no buffer set ${index}: there are ${this.bufferSets}`);
    return set;
  }
}
