import type { Tensor } from '../dtype';
import type { TunableValues } from '../kernel';
import type { Part, Rows } from '../numbers';
import { opOf } from '../ops';
import type { Problem } from '../problem';
import { kernelById } from '../registry';
import { type InputChoice, inputBlock } from '../verify/inputs';

/** Work for one thread. Can be sent with `postMessage`; its results go to shared memory. */
export type HostJob = KernelJob | ReferenceJob;

/** Rows of one run of a kernel. */
interface KernelJob {
  readonly kernel: string;
  readonly values: TunableValues;
  readonly problem: Problem;
  readonly inputs: readonly Tensor[];
  readonly output: Tensor;
  readonly rows: Rows;
}

/** One part of a stage of a shared reference; see `SharedVerification`. */
interface ReferenceJob {
  readonly stage: number;
  readonly problem: Problem;
  readonly reference: object;
  readonly choice: InputChoice;
  readonly part: Part;
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
  /**
   * Ends the threads; a later run starts new ones. An idle thread does not collect garbage, so it
   * would keep the memory of its last job.
   */
  release(): Promise<void>;
}

/** Runs a job on the calling thread. Throws InputError for an unknown kernel. */
export function runHostJob(job: HostJob): void {
  if ('stage' in job) runStage(job);
  else runKernel(job);
}

function runStage({ stage, problem, reference, choice, part }: ReferenceJob): void {
  opOf(problem).verification.shared?.makePart(
    stage,
    reference,
    (input, rows, cols) => inputBlock(problem, choice, input, rows, cols),
    part,
  );
}

function runKernel({ kernel, values, problem, inputs, output, rows }: KernelJob): void {
  const definition = kernelById(kernel);
  if (definition.runsOn !== 'cpu') throw new TypeError(`${kernel} runs on a GPU`);
  definition.run(values, problem, inputs, output, rows);
}
