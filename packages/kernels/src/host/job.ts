import type { TunableValues } from '../kernel/kernel';
import { kernelById } from '../kernel/registry';
import type { Rows } from '../numbers';
import type { Problem } from '../problem/problem';
import type { Tensor } from '../problem/scalar';

/** Rows of one run of a kernel, the work of one thread: sent with `postMessage`, it writes to shared memory. */
export interface HostJob {
  readonly kernel: string;
  readonly values: TunableValues;
  readonly problem: Problem;
  readonly inputs: readonly Tensor[];
  readonly output: Tensor;
  readonly rows: Rows;
}

/**
 * Threads that share memory with the caller. Injected, because Node and browsers start threads
 * differently; each thread passes its jobs to `runHostJob`.
 */
export interface HostPool {
  /** Number of threads the machine runs at once: the meaning of `THREADS=all`. */
  readonly threads: number;
  /** Runs all jobs in parallel, one per thread; rejects if one of them throws. */
  run(jobs: readonly HostJob[]): Promise<void>;
}

/** Runs a job on the calling thread. Throws InputError for an unknown kernel. */
export function runHostJob({ kernel, values, problem, inputs, output, rows }: HostJob): void {
  const definition = kernelById(kernel);
  if (definition.runsOn !== 'cpu') throw new TypeError(`${kernel} runs on a GPU`);
  definition.run(values, problem, inputs, output, rows);
}
