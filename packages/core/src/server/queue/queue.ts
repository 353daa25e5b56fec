import { Job } from 'bullmq';
import { group } from 'd3-array';
import type { RunRow } from '../../api/run';
import { connectionError, translatingErrors } from '../errors';
import { batches } from '../store/database';
import { type Backend, JOB_OPTIONS, type JobData, type JobQueue, type OnError } from './backend';
import { Feed, type JobFetcher } from './feed';
import { postgresBackend } from './postgres';
import { redisBackend } from './redis';

// The queue of runs, on BullMQ. It says who works on what next; the rows in Postgres are the truth,
// and `reconcile` brings the two back into step. `redis.ts` and `postgres.ts` are two backends with
// one interface (`backend.ts`); this file contains everything that does not depend on which it is.
// Runs are fetched by hand (`feed.ts`) and locked by whom they were given to, so that a process
// which hands them out for others, as the site does, can be replaced while they are in hand.

export type Queued = Pick<RunRow, 'id' | 'deviceKey'>;

export type Queue = ReturnType<typeof openQueue>;

interface QueueOptions {
  /** Absent or empty: jobs are kept in Postgres. */
  readonly redisUrl?: string | null | undefined;
  readonly databaseUrl: string;
  /** Prefix of every key in Redis; each test uses its own. */
  readonly prefix?: string;
  /** A job whose holder has been silent for this long goes to another. */
  readonly lockMs?: number;
  /** Called for background errors, for example a broken connection that is being restored. */
  readonly onError?: OnError;
}

/** BullMQ's states of a job that nobody has in hand. */
const WAITING = ['waiting', 'prioritized', 'delayed'] as const;
/** Jobs per request to the backend. */
const BATCH = 1_000;
/** Queues written to at once. */
const DEVICES_AT_ONCE = 10;
const LOCK_MS = 30_000;
/** Between attempts to reach a service that is unavailable. */
const RETRY_DELAY_MS = 1_000;
/** Holders that may die on a job before it is given up here (`reconcile` queues it again). */
const MAX_STALLED = 5;

/** Redis where there is one, else Postgres: the only place that chooses. */
function chooseBackend(options: QueueOptions): Backend {
  const { redisUrl, databaseUrl, prefix = 'tilemark', onError = () => undefined } = options;
  return redisUrl ? redisBackend(redisUrl, prefix, onError) : postgresBackend(databaseUrl, onError);
}

/**
 * One queue per device key, `runs.<deviceKey>`. A worker takes one run at a time from its own
 * device's queue, so two benchmarks never share a GPU. Whoever is given a run is its holder, by a
 * name of the caller's; any process may go on for a holder.
 *
 * Connects on first use. Methods throw `ServiceUnavailable` during an outage.
 */
export function openQueue(options: QueueOptions) {
  const { lockMs = LOCK_MS } = options;
  const backend = chooseBackend(options);
  const queues = new Map<string, JobQueue>();
  const feeds = new Map<string, Promise<Feed>>();

  /** Opens a queue only while the service answers: one opened in an outage would stay broken. */
  const queueOf = async (deviceKey: string): Promise<JobQueue> => {
    const name = queueName(deviceKey);
    const open = queues.get(name);
    await (open ? backend.connected() : backend.ping());
    const queue = open ?? queues.get(name) ?? backend.openQueue(name);
    queues.set(name, queue);
    try {
      await queue.waitUntilReady();
    } catch (error) {
      queues.delete(name);
      throw error;
    }
    return queue;
  };

  /** The job as it was queued, not fetched: what is done to it asks who holds it anyway. */
  const jobOf = async ({ id, deviceKey }: Queued) =>
    new Job<JobData>(await queueOf(deviceKey), 'run', { runId: id }, JOB_OPTIONS, id);

  const openFetcher = async (deviceKey: string): Promise<JobFetcher> => {
    await backend.ping();
    const worker = backend.openWorker(queueName(deviceKey), {
      autorun: false,
      lockDuration: lockMs,
      stalledInterval: lockMs,
      maxStalledCount: MAX_STALLED,
      runRetryDelay: RETRY_DELAY_MS,
    });
    await worker.waitUntilReady();
    await worker.startStalledCheckTimer();
    return {
      next: async (holder) => (await worker.getNextJob(holder))?.data ?? null,
      putBack: (id, holder) => queue.putBack({ id, deviceKey }, holder),
      close: () => worker.close(true),
    };
  };

  const feedOf = (deviceKey: string): Promise<Feed> => {
    const open = feeds.get(deviceKey);
    if (open) return open;
    const opening = openFetcher(deviceKey).then((fetcher) => new Feed(fetcher));
    feeds.set(deviceKey, opening);
    opening.catch(() => feeds.delete(deviceKey));
    return opening;
  };

  const queue = {
    backend: backend.kind,

    /**
     * Adds runs in the given order with jobId = run id; a run already queued is not queued twice.
     * Background runs wait until no others do.
     */
    async enqueue(
      runs: readonly Queued[],
      { background = false }: { readonly background?: boolean } = {},
    ): Promise<void> {
      // BullMQ takes jobs without a priority before those with one.
      const priority = background ? { priority: 1 } : {};
      const addTo = async ([deviceKey, idBatches]: ReturnType<typeof byDevice>[number]) => {
        const jobs = await queueOf(deviceKey);
        for (const batch of idBatches) {
          await jobs.addBulk(
            batch.map((runId) => ({
              name: 'run',
              data: { runId },
              opts: { jobId: runId, ...priority },
            })),
          );
        }
      };
      // A few devices at once, so that a sweep of many does not wait for each in turn.
      for (const some of batches(byDevice(runs), DEVICES_AT_ONCE)) {
        await Promise.all(some.map(addTo));
      }
    },

    async remove(runs: readonly Queued[]): Promise<void> {
      for (const [deviceKey, idBatches] of byDevice(runs)) {
        const jobs = await queueOf(deviceKey);
        for (const batch of idBatches) await Promise.all(batch.map((id) => jobs.remove(id)));
      }
    },

    /**
     * Waits for the device's next run and gives it to the holder; null when the signal aborts first.
     * A run whose holder does not `hold` it again in time goes to another.
     */
    async next(deviceKey: string, holder: string, signal: AbortSignal): Promise<JobData | null> {
      return (await feedOf(deviceKey)).next(holder, signal);
    },

    /** The holder has the run for some time more. False: it no longer has it. */
    async hold(run: Queued, holder: string): Promise<boolean> {
      return (await (await jobOf(run)).extendLock(holder, lockMs)) === 1;
    },

    /** The run leaves the queue; nothing, where the holder no longer has it. */
    async finish(run: Queued, holder: string): Promise<void> {
      await ifHeld((await jobOf(run)).moveToCompleted(null, holder, false));
    },

    /** The run waits again, first for `delayMs`; nothing, where the holder no longer has it. */
    async putBack(run: Queued, holder: string, delayMs = 0): Promise<void> {
      await ifHeld((await jobOf(run)).moveToDelayed(Date.now() + delayMs, holder));
    },

    /** Number of runs that wait. */
    async depth(deviceKey: string): Promise<number> {
      const jobs = await queueOf(deviceKey);
      return jobs.getJobCountByTypes(...WAITING);
    },

    /** Ids of the runs waiting in the device's queue. */
    async runIds(deviceKey: string): Promise<Set<string>> {
      const jobs = await queueOf(deviceKey);
      return new Set(await jobs.getRanges([...WAITING], 0, -1));
    },

    ping: () => backend.ping(),

    async close(): Promise<void> {
      const open = await Promise.allSettled(feeds.values());
      await Promise.all(
        open.map((feed) => (feed.status === 'fulfilled' ? feed.value.close() : undefined)),
      );
      await Promise.all([...queues.values()].map((jobs) => jobs.close()));
      await backend.close();
    },
  };
  return translatingErrors(queue, (error) => connectionError(error, backend.place));
}

const queueName = (deviceKey: string): string => `runs.${deviceKey}`;

/** Waits for what needs the job's lock; who does not have the lock (any more) changes nothing. */
async function ifHeld(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    // BullMQ's own codes are negative: no such job, no lock, not in hand, another's lock.
    if (!(error instanceof Error && Number(Reflect.get(error, 'code')) < 0)) throw error;
  }
}

/** Ids of runs in batches that the backend takes at once, by device. */
const byDevice = (runs: readonly Queued[]): [deviceKey: string, batches: string[][]][] =>
  [...group(runs, ({ deviceKey }) => deviceKey)].map(([deviceKey, deviceRuns]) => [
    deviceKey,
    [
      ...batches(
        deviceRuns.map(({ id }) => id),
        BATCH,
      ),
    ],
  ]);
