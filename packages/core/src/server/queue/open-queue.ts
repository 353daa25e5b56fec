import { connectionError, translatingErrors } from '../errors';
import type { Queue, RunConsumer } from '../queue';
import type { Backend, BullQueue, JobQueue, OnError } from './backend';
import { postgresBackend } from './postgres';
import { redisBackend } from './redis';

export interface QueueOptions {
  /** Absent or empty: jobs are kept in Postgres. */
  readonly redisUrl?: string | null | undefined;
  readonly databaseUrl: string;
  /** Before every key in Redis; tests take one of their own. */
  readonly prefix?: string;
  /** A job whose consumer has not been heard of for this long goes to another. */
  readonly lockMs?: number;
  /** Told what happens in the background, for example a connection that broke and is made anew. */
  readonly onError?: OnError;
}

/** What BullMQ calls a job that no consumer has in hand. */
const WAITING = ['waiting', 'prioritized', 'delayed'] as const;
/** Jobs sent to the backend at once. */
const BATCH = 1_000;
/** Queues that are written to at once. */
const DEVICES_AT_ONCE = 10;
const LOCK_MS = 30_000;
/** Between attempts to reach a service that is away. */
const RETRY_DELAY_MS = 1_000;
/** Consumers that may die on a job before it is given up here (`reconcile` queues it anew). */
const MAX_STALLED = 5;

/** Redis where there is one, else Postgres: the only place that chooses. */
function chooseBackend(options: QueueOptions): Backend {
  const { redisUrl, databaseUrl, prefix = 'tilemark', onError = () => undefined } = options;
  return redisUrl ? redisBackend(redisUrl, prefix, onError) : postgresBackend(databaseUrl, onError);
}

/**
 * The queue of runs. Connects on first use: an outage shows as `QueueUnavailable`
 * from each method; consumers wait for its end and go on.
 */
export function openQueue(options: QueueOptions): Queue {
  const { lockMs = LOCK_MS } = options;
  const backend = chooseBackend(options);
  const queues = new Map<string, JobQueue>();
  const consumers = new Set<RunConsumer>();

  /** A queue is opened while the service answers: one opened in an outage would stay broken. */
  const queueOf = async (deviceKey: string): Promise<JobQueue> => {
    await backend.ping();
    const name = queueName(deviceKey);
    const queue = queues.get(name) ?? backend.openQueue(name);
    queues.set(name, queue);
    try {
      await queue.waitUntilReady();
    } catch (error) {
      queues.delete(name);
      throw error;
    }
    return queue;
  };

  const queue: Queue = {
    backend: backend.kind,

    async enqueue(runs, { background = false } = {}) {
      // BullMQ takes jobs without a priority before those with one.
      const priority = background ? { priority: 1 } : {};
      const addTo = async ([deviceKey, ids]: readonly [string, string[]]) => {
        const jobs = await queueOf(deviceKey);
        for (const batch of batches(ids)) {
          await jobs.addBulk(
            batch.map((runId) => ({
              name: 'run',
              data: { runId },
              opts: { jobId: runId, ...priority },
            })),
          );
        }
      };
      // A few devices at once: a sweep of many devices waits for as many answers.
      const groups = [...byDevice(runs)];
      for (let at = 0; at < groups.length; at += DEVICES_AT_ONCE) {
        await Promise.all(groups.slice(at, at + DEVICES_AT_ONCE).map(addTo));
      }
    },

    async remove(runs) {
      for (const [deviceKey, ids] of byDevice(runs)) {
        const jobs = await queueOf(deviceKey);
        for (const batch of batches(ids)) await Promise.all(batch.map((id) => jobs.remove(id)));
      }
    },

    async consume(deviceKey, take) {
      await backend.ping();
      const { worker, release } = backend.openWorker(
        queueName(deviceKey),
        // BullMQ makes a signal only for a processor that declares all three parameters.
        (job, _token, signal) => take(job.data, signal ?? NEVER),
        {
          concurrency: 1,
          lockDuration: lockMs,
          stalledInterval: lockMs,
          maxStalledCount: MAX_STALLED,
          runRetryDelay: RETRY_DELAY_MS,
        },
      );
      const consumer: RunConsumer = {
        close: async () => {
          consumers.delete(consumer);
          await worker.close();
          await release();
        },
      };
      consumers.add(consumer);
      await worker.waitUntilReady();
      return consumer;
    },

    // BullMQ types a queue in Postgres apart from one in Redis; they are one class.
    jobsOf: async (deviceKey) => (await queueOf(deviceKey)) as BullQueue,

    async depth(deviceKey) {
      const jobs = await queueOf(deviceKey);
      return jobs.getJobCountByTypes(...WAITING);
    },

    async runIds(deviceKey) {
      const jobs = await queueOf(deviceKey);
      return new Set(await jobs.getRanges([...WAITING], 0, -1));
    },

    async admit({ deviceKey, ...account }) {
      await backend.ping();
      await backend.admit(account, queueName(deviceKey));
    },

    async expel(login) {
      await backend.ping();
      await backend.expel(login);
    },

    ping: () => backend.ping(),

    async close() {
      await Promise.all([...consumers].map((consumer) => consumer.close()));
      await Promise.all([...queues.values()].map((each) => each.close()));
      await backend.close();
    },
  };
  return translatingErrors(queue, (error) => connectionError(error, backend.place));
}

const queueName = (deviceKey: string): string => `runs.${deviceKey}`;

const NEVER: AbortSignal = new AbortController().signal;

function byDevice(runs: readonly { id: string; deviceKey: string }[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { id, deviceKey } of runs) {
    const ids = groups.get(deviceKey) ?? [];
    groups.set(deviceKey, ids);
    ids.push(id);
  }
  return groups;
}

function* batches(ids: readonly string[]): Generator<string[]> {
  for (let start = 0; start < ids.length; start += BATCH) yield ids.slice(start, start + BATCH);
}
