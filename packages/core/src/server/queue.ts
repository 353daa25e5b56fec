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
  /**
   * Adds runs in the given order with jobId = run id; one that is queued already is
   * not queued twice. Runs in the background wait until no others do.
   */
  enqueue(
    runs: readonly { id: string; deviceKey: string }[],
    options?: { readonly background?: boolean },
  ): Promise<void>;
  remove(runs: readonly { id: string; deviceKey: string }[]): Promise<void>;
  /**
   * Hands the device's runs to `take`, one at a time. `take` throws only for faults
   * of the infrastructure, or to hand the run back: it is tried again after a
   * delay, by whichever consumer is free. A run whose consumer died goes to another.
   */
  consume(
    deviceKey: string,
    take: (job: RunJob, signal: AbortSignal) => Promise<void>,
  ): Promise<RunConsumer>;
  /** Runs that wait for a consumer. */
  depth(deviceKey: string): Promise<number>;
  /** Ids of the runs that wait in the device's queue. */
  runIds(deviceKey: string): Promise<Set<string>>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
