import type { Queue, Worker, WorkerOptions } from 'bullmq';
import type { DatabaseOrQueue } from '../errors';

/** A job carries the run id only; the row carries the input. */
export interface JobData {
  readonly runId: string;
}

/** BullMQ's own classes, whatever keeps the jobs. */
export type JobQueue = Queue<JobData>;
/** Fetches jobs one by one: it has no processor. */
type JobWorker = Pick<
  Worker<JobData>,
  'waitUntilReady' | 'getNextJob' | 'startStalledCheckTimer' | 'close'
>;

/** A service in which BullMQ keeps jobs. Chosen once, in queue.ts; nothing else knows which it is. */
export interface Backend {
  readonly kind: 'redis' | 'postgres';
  /** How errors name the service when it is unreachable. */
  readonly place: DatabaseOrQueue;
  /** Resolves when there is a connection; rejects soon when there is none. */
  connected(): Promise<void>;
  /** Resolves when the service answers; rejects soon when it does not. */
  ping(): Promise<void>;
  openQueue(name: string): JobQueue;
  openWorker(name: string, options: Omit<WorkerOptions, 'connection' | 'prefix'>): JobWorker;
  /** After every queue and worker was closed. */
  close(): Promise<void>;
}

/** A listener for errors in BullMQ's background, for example a lost connection that it will restore. */
export type OnError = (error: Error) => void;

/** Jobs that leave the queue leave nothing behind: their ids can be used again. */
export const JOB_OPTIONS = {
  removeOnComplete: true,
  removeOnFail: true,
} as const;
