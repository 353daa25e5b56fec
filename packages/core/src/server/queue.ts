import type { BullQueue } from './queue/backend';

/** A job carries the run id only; the row carries the input. */
export interface RunJob {
  readonly runId: string;
}

export interface RunConsumer {
  /** Takes no new job; waits for the one in hand. */
  close(): Promise<void>;
}

/** Who may use the queue of one device and no other. */
export interface QueueAccount {
  readonly login: string;
  /** SHA-256 of the password, in hex. */
  readonly passwordHash: string;
  readonly deviceKey: string;
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
  /** BullMQ's own queue of a device, for its dashboard. */
  jobsOf(deviceKey: string): Promise<BullQueue>;
  /** Runs that wait for a consumer. */
  depth(deviceKey: string): Promise<number>;
  /** Ids of the runs that wait in the device's queue. */
  runIds(deviceKey: string): Promise<Set<string>>;
  /**
   * Lets an account in, or does nothing where it is in with this password; sessions of the
   * password before end. Throws AccountsRefused where the grid's own user may not say who
   * may what. In Postgres the account is the worker's role, and this does nothing.
   */
  admit(account: QueueAccount): Promise<void>;
  /** Locks an account out and ends its sessions; nothing where there is none. */
  expel(login: string): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
