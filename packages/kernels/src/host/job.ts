import type { InputChoice } from '../inputs';
import type { Rows, Tensor, TunableValues } from '../kernel';
import { LARGE_STAGES, type LargeReference, type Part } from '../matmul/large';
import type { Problem } from '../problem';
import { kernelById } from '../registry';

/** Work for one thread. Survives `postMessage`; what it writes lies in shared memory. */
export type HostJob = KernelJob | ReferenceJob;

/** Rows of one run of a kernel. */
export interface KernelJob {
  readonly kernel: string;
  readonly values: TunableValues;
  readonly problem: Problem;
  readonly inputs: readonly Tensor[];
  readonly output: Tensor;
  readonly rows: Rows;
}

/** A part of one of `LARGE_STAGES`. */
export interface ReferenceJob {
  readonly stage: number;
  readonly reference: LargeReference;
  readonly choice: InputChoice;
  readonly part: Part;
}

/**
 * Threads that share memory with the caller. Injected, because starting one is
 * Node's or the browser's business; each thread hands its jobs to `runHostJob`.
 */
export interface HostPool {
  /** Threads the machine runs at once: what `THREADS=all` means. */
  readonly threads: number;
  /** Runs the jobs at once, each on a thread of its own; rejects when one of them throws. */
  run(jobs: readonly HostJob[]): Promise<void>;
  /**
   * Ends the threads; a later run starts others. One that waits for work collects no
   * garbage, and so keeps the memory that it last worked with.
   */
  release(): Promise<void>;
}

/** Does a job on the calling thread. Throws InputError for a kernel that does not exist. */
export function runHostJob(job: HostJob): void {
  if ('stage' in job) runStage(job);
  else runKernel(job);
}

function runStage({ stage, reference, choice, part }: ReferenceJob): void {
  const run = LARGE_STAGES[stage];
  if (!run) throw new RangeError(`a reference has no stage ${stage}`);
  run(reference, choice, part);
}

function runKernel({ kernel, values, problem, inputs, output, rows }: KernelJob): void {
  const definition = kernelById(kernel);
  if (definition.runsOn !== 'cpu') throw new TypeError(`${kernel} runs on a GPU`);
  definition.run(values, problem, inputs, output, rows);
}
