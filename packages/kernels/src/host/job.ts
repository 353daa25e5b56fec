import type { Rows, Tensor, TunableValues } from '../kernel';
import type { Problem } from '../problem';
import { kernelById } from '../registry';

/** Rows of one run, for one thread. Survives `postMessage`; its tensors lie in shared memory. */
export interface HostJob {
  readonly kernel: string;
  readonly values: TunableValues;
  readonly problem: Problem;
  readonly inputs: readonly Tensor[];
  readonly output: Tensor;
  readonly rows: Rows;
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
}

/** Does a job on the calling thread. Throws InputError for a kernel that does not exist. */
export function runHostJob({ kernel, values, problem, inputs, output, rows }: HostJob): void {
  const definition = kernelById(kernel);
  if (definition.runsOn !== 'cpu') throw new TypeError(`${kernel} runs on a GPU`);
  definition.run(values, problem, inputs, output, rows);
}

/** `rows` rows in at most `parts` runs of nearly equal length. */
export function splitRows(rows: number, parts: number): Rows[] {
  const count = Math.min(rows, parts);
  const edge = (part: number) => Math.floor((part * rows) / count);
  return Array.from({ length: count }, (_, part) => ({ first: edge(part), end: edge(part + 1) }));
}
