/** A job carries the run id only; the row carries the input. */
export interface RunJob {
  readonly runId: string;
}

export interface RunConsumer {
  /** Takes no new job; waits for the one in hand. */
  close(): Promise<void>;
}

/**
 * One queue per device key, `runs.<deviceKey>`. A worker consumes its own
 * device's queue with concurrency 1, so two benchmarks never share a GPU.
 */
export interface Queue {
  readonly backend: 'redis' | 'postgres';
  /** Adds runs with jobId = run id; a run that is queued already is not queued twice. */
  enqueue(runs: readonly { id: string; deviceKey: string }[]): Promise<void>;
  remove(runs: readonly { id: string; deviceKey: string }[]): Promise<void>;
  /** `take` throws only for faults of the infrastructure: those are retried. */
  consume(
    deviceKey: string,
    take: (job: RunJob, signal: AbortSignal) => Promise<void>,
  ): Promise<RunConsumer>;
  depth(deviceKey: string): Promise<number>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
