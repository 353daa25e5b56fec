import { setTimeout as sleep } from 'node:timers/promises';
import type { PrismaClient } from '@tilemark/db';
import { InputError } from '@tilemark/kernels';
import type { SweepEvent } from '../../api';
import { ServiceUnavailable } from '../errors';
import type { Store } from '../store';
import type { Listener } from './listener';
import { RUN_VIEW, runResult } from './run-view';
import { sweepViews } from './sweep-view';

/** Results sent when it is unknown which ones a watcher has. */
const NEWEST = 100;
/** Changes within this go out as one event: a fast sweep ends many runs a second. */
const GATHER_MS = 100;

/** What has changed since the last event. */
interface Changes {
  /** Send the newest results rather than named ones. */
  unknown: boolean;
  readonly runIds: Set<string>;
  any: boolean;
}

/** Live events of sweeps: the contract is at `Store.sweeps.watch`. */
export function watchOf(
  db: PrismaClient,
  listener: Listener,
  closing: AbortSignal,
  translate: (error: unknown) => unknown,
): Store['sweeps']['watch'] {
  return async (id, onEvent, signal) => {
    const ended = AbortSignal.any([signal, closing]);
    const changes: Changes = { unknown: true, runIds: new Set(), any: true };
    let wake: () => void = () => undefined;
    const changed = () => {
      changes.any = true;
      wake();
    };
    ended.addEventListener('abort', () => wake(), { once: true });
    // Heard before it is read, so that nothing falls in between.
    const unsubscribe = await listener.subscribe(id, {
      onChange: ({ runId }) => {
        if (runId) changes.runIds.add(runId);
        changed();
      },
      onGap: () => {
        changes.unknown = true;
        changed();
      },
    });
    try {
      while (!ended.aborted) {
        if (!changes.any) {
          await new Promise<void>((resolve) => {
            wake = resolve;
            if (changes.any || ended.aborted) resolve();
          });
          await sleep(GATHER_MS, undefined, { signal: ended, ref: false }).catch(() => undefined);
          continue;
        }
        const event = await nextEvent(db, id, changes, translate);
        if (event && !ended.aborted) onEvent(event);
      }
    } finally {
      unsubscribe();
    }
  };
}

/** The event for the changes, which are taken; null when the database went away meanwhile. */
async function nextEvent(
  db: PrismaClient,
  id: string,
  changes: Changes,
  translate: (error: unknown) => unknown,
): Promise<SweepEvent | null> {
  const { unknown } = changes;
  const runIds = [...changes.runIds];
  changes.unknown = false;
  changes.any = false;
  changes.runIds.clear();
  try {
    return await readEvent(db, id, unknown ? 'newest' : runIds);
  } catch (error) {
    if (!(translate(error) instanceof ServiceUnavailable)) throw error;
    // The listener finds the database again and reports the gap.
    return null;
  }
}

async function readEvent(
  db: PrismaClient,
  id: string,
  which: 'newest' | readonly string[],
): Promise<SweepEvent> {
  const row = await db.sweep.findUnique({ where: { id } });
  const [sweep] = row ? await sweepViews(db, [row]) : [];
  if (!sweep) throw new InputError(`There is no sweep ${id}.`, 'id');
  const runs =
    which === 'newest'
      ? await db.run.findMany({
          where: { sweepId: id, state: { notIn: ['pending', 'running'] } },
          orderBy: { endedAt: 'desc' },
          take: NEWEST,
          include: RUN_VIEW,
        })
      : await db.run.findMany({ where: { id: { in: [...which] } }, include: RUN_VIEW });
  return { counts: sweep.counts, status: sweep.status, results: runs.map(runResult) };
}
