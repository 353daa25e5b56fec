import type { Processor, Queue, Worker, WorkerOptions } from 'bullmq';
import type { DatabaseOrQueue } from '../errors';
import type { RunJob } from '../queue';

/** BullMQ's own, as its dashboard takes it. */
export type BullQueue = Queue<RunJob>;
/** The parts of BullMQ's classes in use, whatever keeps the jobs. */
export type JobQueue = Pick<
  Queue<RunJob>,
  'addBulk' | 'remove' | 'getRanges' | 'getJobCountByTypes' | 'waitUntilReady' | 'close'
>;
export type JobWorker = Pick<Worker<RunJob>, 'waitUntilReady' | 'close'>;
export type JobWorkerOptions = Omit<WorkerOptions, 'connection' | 'prefix'>;

/** Where BullMQ keeps jobs. Chosen once, in open-queue.ts; nothing else knows which it is. */
export interface Backend {
  readonly kind: 'redis' | 'postgres';
  /** What an unreachable service is called in an error. */
  readonly place: DatabaseOrQueue;
  /** Resolves when the service answers; rejects soon when it does not. */
  ping(): Promise<void>;
  openQueue(name: string): JobQueue;
  openWorker(name: string, processor: Processor<RunJob>, options: JobWorkerOptions): OpenWorker;
  /** Lets an account use one queue; see `Queue.admit`. */
  admit(account: { login: string; passwordHash: string }, name: string): Promise<void>;
  expel(login: string): Promise<void>;
  /** After every queue and worker was closed. */
  close(): Promise<void>;
}

export interface OpenWorker {
  readonly worker: JobWorker;
  /** Closes what the worker was given to connect with. */
  release(): Promise<void>;
}

/** What BullMQ reports in the background, for example a lost connection it will make again. */
export type OnError = (error: Error) => void;

/** Jobs that are not in the queue any more leave nothing behind: their ids can be used again. */
export const JOB_OPTIONS = {
  attempts: 8,
  backoff: { type: 'exponential', delay: 1_000 },
  removeOnComplete: true,
  removeOnFail: true,
} as const;
