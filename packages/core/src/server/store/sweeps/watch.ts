import { setTimeout as sleep } from 'node:timers/promises';
import type { Prisma, PrismaClient } from '@tilemark/db';
import { InputError, isKnownProblem } from '@tilemark/kernels';
import type { SweepEvent } from '../../../api/api';
import { ServiceUnavailable } from '../../errors';
import type { Listener } from '../notices';
import { RUN_WITHOUT_SAMPLES, resultWithoutSamples } from '../run-view';
import { sweepViews } from './views';

/**
 * Calls back at once with counts, status, what is running and the newest results (at most 100), so that a page
 * rendered a moment ago misses nothing, and then after every change until the signal aborts. The
 * same result may come twice. Throws InputError if there is no such sweep.
 */
type WatchSweep = (
  id: string,
  onEvent: (event: SweepEvent) => void,
  signal: AbortSignal,
) => Promise<void>;

/** Results in the first event of a watch. */
const NEWEST = 100;
/** Changes within this go out as one event: a fast sweep ends many runs per second. */
const GATHER_MS = 100;
/** Looked at again after this without a notification: its sender may have died first. */
const LOOK_AGAIN_MS = 5_000;

export function watchOf(
  db: PrismaClient,
  listener: Listener,
  closing: AbortSignal,
  translate: (error: unknown) => unknown,
): WatchSweep {
  let last: Promise<unknown> = Promise.resolve();
  /** One after another: a change wakes all who watch, and the database has few connections. */
  const inTurn = <T>(read: () => Promise<T>): Promise<T> => {
    const done = last.then(read);
    last = done.catch(() => undefined);
    return done;
  };
  return async (id, onEvent, signal) => {
    const ended = AbortSignal.any([signal, closing]);
    let waiting = new AbortController();
    const wake = () => waiting.abort();
    ended.addEventListener('abort', wake, { once: true });
    listener.changes.on(id, wake);
    let seen: string | null = null;
    let shown = '';
    try {
      while (!ended.aborted) {
        waiting = new AbortController();
        // Listens before it reads, so that nothing falls in between.
        const read: Read | null = await listener
          .listen()
          .then(() => inTurn(async () => (ended.aborted ? null : readEvent(db, id, seen))))
          .catch((error: unknown) => {
            // It looks again when the database is back; nothing is missed.
            if (translate(error) instanceof ServiceUnavailable && seen !== null) return null;
            throw error;
          });
        if (read && !ended.aborted) {
          seen = read.snapshot;
          const { results, ...heads } = read.event;
          const heading = JSON.stringify(heads);
          if (results.length > 0 || heading !== shown) onEvent(read.event);
          shown = heading;
        }
        await pause(LOOK_AGAIN_MS, waiting.signal);
        await pause(GATHER_MS, ended);
      }
    } finally {
      listener.changes.off(id, wake);
    }
  };
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);

interface Read {
  readonly event: SweepEvent;
  /** The snapshot of the database that the event was read from, as Postgres writes it. */
  readonly snapshot: string;
}

/**
 * Counts, status and results of one snapshot of the database, so that an event
 * never counts a result that no event has brought, without samples: exactly the results that
 * became visible since the snapshot `seen`, or the newest ones without it.
 */
function readEvent(db: PrismaClient, id: string, seen: string | null): Promise<Read> {
  return db.$transaction(
    async (tx) => {
      const [now] = await tx.$queryRaw<{ snapshot: string }[]>`
        SELECT pg_current_snapshot()::text AS snapshot`;
      const row = await tx.sweep.findUnique({ where: { id } });
      const [sweep] = row ? await sweepViews(tx, [row]) : [];
      if (!now || !sweep) throw new InputError(`There is no sweep ${id}.`, 'id');
      const runs = await tx.run.findMany({
        where: seen
          ? { id: { in: await recordedSince(tx, id, seen) } }
          : { sweepId: id, state: { notIn: ['pending', 'running'] } },
        ...(seen ? {} : { orderBy: { endedAt: 'desc' }, take: NEWEST }),
        include: RUN_WITHOUT_SAMPLES,
      });
      const active = await tx.run.findMany({
        where: { sweepId: id, state: 'running', isSearch: false },
        select: { id: true },
      });
      const { counts, status, tuning = null } = sweep;
      return {
        event: {
          counts,
          status,
          results: runs.filter(isKnownProblem).map(resultWithoutSamples),
          running: active.map((run) => run.id),
          tuning,
        },
        snapshot: now.snapshot,
      };
    },
    { isolationLevel: 'RepeatableRead' },
  );
}

/** Ids of the runs whose result was written by a transaction that `snapshot` does not see. */
async function recordedSince(
  tx: Prisma.TransactionClient,
  sweepId: string,
  snapshot: string,
): Promise<string[]> {
  const rows = await tx.$queryRaw<{ runId: string }[]>`
    SELECT result."runId" FROM "Result" AS result JOIN "Run" AS run ON run."id" = result."runId"
    WHERE run."sweepId" = ${sweepId}
      AND result."transaction" >= pg_snapshot_xmin(${snapshot}::pg_snapshot)
      AND NOT pg_visible_in_snapshot(result."transaction", ${snapshot}::pg_snapshot)`;
  return rows.map((row) => row.runId);
}
