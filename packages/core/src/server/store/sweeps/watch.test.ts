import { createClient } from '@tilemark/db';
import { InputError } from '@tilemark/kernels';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bringUp, execute, takeDown } from '../../../../services.test-helper';
import type { SweepEvent } from '../../../api/api';
import { attach, measured, planned, recorded, sweepOf } from '../fixtures.test-helper';
import type { Store } from '../store';
import { openStore } from '../store';
import { testStore } from '../store.test-helper';

/** Another process: what it writes must be seen by the first. */
let other: Store;
let deviceKey: string;
let workerId: string;

const { store, url } = await testStore();
beforeAll(async () => {
  other = openStore(url);
  ({ deviceKey, workerId } = await attach(store));
});
afterAll(async () => {
  await other.close();
});

/** Watches a sweep; `until` waits for an event of that kind, also among those that came. */
function watching(id: string) {
  const events: SweepEvent[] = [];
  const stop = new AbortController();
  let arrived: () => void = () => undefined;
  const done = store.sweeps.watch(
    id,
    (event) => {
      events.push(event);
      arrived();
    },
    stop.signal,
  );
  const until = async (holds: (event: SweepEvent) => boolean): Promise<SweepEvent> => {
    for (;;) {
      const found = events.find(holds);
      if (found) return found;
      await new Promise<void>((resolve) => {
        arrived = resolve;
      });
    }
  };
  const end = async () => {
    stop.abort();
    await done;
  };
  return { events, until, end };
}

const newSweep = (count: number) =>
  sweepOf(
    store,
    Array.from({ length: count }, () => planned(deviceKey)),
  );

test('the first event is the state there is, results included', async () => {
  const { id, runIds } = await newSweep(2);
  await other.runs.record(recorded(runIds[0]!, workerId, measured(1e6)));
  const watch = watching(id);
  const first = await watch.until(() => true);
  expect(first).toMatchObject({
    status: 'queued',
    running: [],
    counts: { total: 2, pending: 1, measured: 1 },
  });
  expect(first.results.map((result) => result.runId)).toEqual([runIds[0]]);
  await watch.end();
});

test('results recorded by another process arrive, every one, up to done', async () => {
  const { id, runIds } = await newSweep(40);
  const watch = watching(id);
  await watch.until((event) => event.status === 'queued');
  await Promise.all(
    runIds.map((runId) => other.runs.record(recorded(runId, workerId, measured(1e6)))),
  );
  await watch.until((event) => event.status === 'done');
  const seen = new Set(watch.events.flatMap((event) => event.results.map(({ runId }) => runId)));
  expect(seen).toEqual(new Set(runIds));
  await watch.end();
});

test('claiming, cancelling and retrying are told too; other sweeps are not', async () => {
  const { id, runIds } = await newSweep(2);
  const unrelated = await newSweep(1);
  const watch = watching(id);
  await watch.until((event) => event.status === 'queued');
  await other.sweeps.cancel(unrelated.id);
  await other.runs.claim(runIds[0]!, workerId);
  await watch.until((event) => event.status === 'running');
  await other.sweeps.cancel(id);
  await watch.until((event) => event.status === 'cancelled');
  expect(watch.events.every((event) => event.counts.total <= 2)).toBe(true);
  await watch.end();
});

test('a change without a notification is still found', async () => {
  const { id, runIds } = await newSweep(1);
  const watch = watching(id);
  await watch.until((event) => event.status === 'queued');
  // As by a worker that died after its commit, before it told.
  await execute(url, `UPDATE "Run" SET "state" = 'skipped' WHERE "id" = '${runIds[0]}'`);
  await watch.until((event) => event.status === 'done');
  expect(watch.events).toHaveLength(2);
  await watch.end();
});

test('a watch outlives an outage of the database and catches up', async () => {
  const { id, runIds } = await newSweep(1);
  const watch = watching(id);
  await watch.until((event) => event.status === 'queued');
  await takeDown(url);
  await expect(other.ping()).rejects.toThrow();
  await bringUp(url);
  await other.runs.record(recorded(runIds[0]!, workerId, measured(1e6)));
  const caughtUp = await watch.until((event) => event.status === 'done');
  expect(caughtUp.results.map((result) => result.runId)).toEqual(runIds);
  await watch.end();
});

test('closing the store ends its watches', async () => {
  const closing = openStore(url);
  const { id } = await newSweep(1);
  const seen: SweepEvent[] = [];
  let first: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    first = resolve;
  });
  const done = closing.sweeps.watch(
    id,
    (event) => {
      seen.push(event);
      first();
    },
    new AbortController().signal,
  );
  await started;
  await closing.close();
  await done;
  expect(seen).toHaveLength(1);
});

test('there is nothing to watch of an unknown sweep', async () => {
  const watch = store.sweeps.watch('unknown', () => undefined, new AbortController().signal);
  await expect(watch).rejects.toThrow(InputError);
});

test('however many watch, they take one connection to the database', async () => {
  const { id } = await newSweep(20);
  const db = createClient(url);
  let most = 0;
  const watches = Array.from({ length: 60 }, () => watching(id));
  let isOver = false;
  void Promise.all(watches.map((watch) => watch.until(() => true))).then(() => {
    isOver = true;
  });
  while (!isOver) {
    const [now] = await db.$queryRaw<{ busy: number }[]>`
      SELECT count(*)::int AS "busy" FROM pg_stat_activity
      WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()`;
    most = Math.max(most, now?.busy ?? 0);
  }
  for (const watch of watches) await watch.end();
  await db.$disconnect();
  expect(most).toBe(1);
});
