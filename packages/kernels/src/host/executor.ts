import { nowNs, wallTickNs } from '../clock';
import type { Executor, Prepared, PrepareOptions, Sample, SampleOptions } from '../executor';
import { inputTensors } from '../inputs';
import type { HostKernel, Tensor, TunableValues, Variant } from '../kernel';
import { elements } from '../op';
import { opOf } from '../ops';
import { POISON_WORD } from '../poison';
import type { Problem } from '../problem';
import { resolveVariant } from '../variant';

/** An executor of host kernels on this thread, timed by the wall clock. */
export function createHostExecutor(): Executor {
  return {
    timer: { kind: 'wall', tickNs: wallTickNs() },
    prepare: async (variant: Variant, problem: Problem, options: PrepareOptions) => {
      const { definition, tunables } = resolveVariant(variant.kernel, variant.tunables);
      if (definition.runsOn !== 'cpu') {
        throw new TypeError(`${definition.id} runs on a GPU: use the GPU executor`);
      }
      return new HostPrepared(definition, tunables, problem, options);
    },
    destroy: () => {},
  };
}

interface TensorSet {
  readonly inputs: readonly Tensor[];
  readonly output: Tensor;
}

class HostPrepared implements Prepared {
  readonly compileNs = 0;
  readonly uploadNs = null;
  readonly #kernel: HostKernel;
  readonly #values: TunableValues;
  readonly #problem: Problem;
  readonly #sets: readonly TensorSet[];
  #next = 0;

  constructor(
    kernel: HostKernel,
    values: TunableValues,
    problem: Problem,
    { seed, bufferSets, inputs: mode = 'uniform' }: PrepareOptions,
  ) {
    this.#kernel = kernel;
    this.#values = values;
    this.#problem = problem;
    const length = elements(opOf(problem).output(problem.shape));
    this.#sets = Array.from({ length: bufferSets }, (_, set) => ({
      inputs: inputTensors(problem, { seed, set, mode }),
      output: problem.dtype === 'i32' ? new Int32Array(length) : new Float32Array(length),
    }));
    this.#poisonAll();
  }

  get bufferSets(): number {
    return this.#sets.length;
  }

  /** No canary here: a typed array cannot be written behind its end. */
  async poison(): Promise<void> {
    this.#poisonAll();
  }

  async sample({ dispatches, rotate }: SampleOptions): Promise<Sample> {
    const start = nowNs();
    for (let i = 0; i < dispatches; i++) {
      const set = this.#set(rotate ? this.#next++ % this.bufferSets : 0);
      // Awaited only where there is a promise: a turn of the event loop is not the kernel's time.
      const pending = this.#kernel.run(this.#values, this.#problem, set.inputs, set.output);
      if (pending) await pending;
    }
    const ns = nowNs() - start;
    return { ns, wallNs: ns };
  }

  /** The output is in host memory already: 0 ns. */
  async readOutput(bufferSet: number): Promise<{ output: Tensor; downloadNs: number }> {
    return { output: this.#set(bufferSet).output.slice(), downloadNs: 0 };
  }

  destroy(): void {}

  #set(index: number): TensorSet {
    const set = this.#sets[index];
    if (!set) throw new RangeError(`no buffer set ${index}: there are ${this.bufferSets}`);
    return set;
  }

  #poisonAll(): void {
    for (const { output } of this.#sets) new Int32Array(output.buffer).fill(POISON_WORD);
  }
}
