import { once } from 'node:events';
import { expect, test } from 'vitest';
import { execute } from '../../../../services.test-helper';
import {
  attach,
  environment,
  failed,
  measured,
  planned,
  recorded,
  square,
  sweepOf,
} from '../fixtures.test-helper';
import { openListener } from '../notices';
import { openStore } from '../store';
import { testStore } from '../store.test-helper';

const { db, store, url } = await testStore();

/** As if the worker's process had died a minute ago. */
const lose = (workerId: string) =>
  db.worker.update({
    where: { id: workerId },
    data: { lastHeartbeatAt: new Date(Date.now() - 60_000) },
  });

async function oneRun(device: string) {
  const worker = await attach(store, device);
  const { id, runIds } = await sweepOf(store, [planned(worker.deviceKey)]);
  return { ...worker, sweepId: id, runId: runIds[0]! };
}

const pendingIds = async () => {
  const ids: string[] = [];
  for await (const { id } of store.runs.pending()) ids.push(id);
  return ids;
};

test('a claim hands over what the worker needs', async () => {
  const { runId, workerId, deviceKey } = await oneRun('Claim');
  expect(await store.runs.claim(runId, workerId)).toEqual({
    id: runId,
    deviceKey,
    variant: { kernel: 'matmul/tiled', tunables: { TILE: 16 } },
    problem: { op: 'matmul', shape: { m: 64, n: 64, k: 64 }, dtype: 'f32' },
    profile: 'default',
    policy: 'default',
    attempt: 1,
    seed: expect.any(Number),
  });
});

test('a claim waits for the disk: what Postgres forgot its worker could not end', async () => {
  const { runId, workerId } = await oneRun('Durable');
  // Deferred, so that it sees the setting with which the transaction commits.
  await execute(
    url,
    `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = on;
     CREATE TABLE committed (setting text);
     CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN INSERT INTO committed VALUES (current_setting('synchronous_commit'));
          RETURN NULL; END $$;
     CREATE CONSTRAINT TRIGGER note AFTER UPDATE ON "Run" DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION note()`,
  );
  const own = openStore(url);
  try {
    await own.runs.claim(runId, workerId);
    expect(await db.$queryRaw`SELECT setting FROM committed`).toEqual([{ setting: 'on' }]);
  } finally {
    await own.close();
    await execute(url, 'DROP TRIGGER note ON "Run"; DROP FUNCTION note; DROP TABLE committed');
  }
});

test('of workers that claim at once exactly one gets the run', async () => {
  const { runId } = await oneRun('Race');
  const workers = await Promise.all(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => attach(store, 'Race', name)),
  );
  const claims = await Promise.all(
    workers.map(({ workerId }) => store.runs.claim(runId, workerId)),
  );
  expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
});

test('a worker of another device gets nothing', async () => {
  const { runId } = await oneRun('Mine');
  const other = await attach(store, 'Yours');
  expect(await store.runs.claim(runId, other.workerId)).toBeNull();
});

test('the same worker claims again; another one only once the holder is lost', async () => {
  const { runId, workerId } = await oneRun('Takeover');
  const other = await attach(store, 'Takeover', 'w2');
  await store.runs.claim(runId, workerId);
  expect((await store.runs.claim(runId, workerId))?.attempt).toBe(2);
  expect(await store.runs.claim(runId, other.workerId)).toBeNull();
  await lose(workerId);
  expect((await store.runs.claim(runId, other.workerId))?.attempt).toBe(3);
});

test('a released run is pending again and its attempt does not count', async () => {
  const { runId, workerId } = await oneRun('Release');
  await store.runs.claim(runId, workerId);
  await store.runs.release(runId, 'somebody else');
  expect(await pendingIds()).not.toContain(runId);
  await store.runs.release(runId, workerId);
  expect(await pendingIds()).toContain(runId);
  expect((await store.runs.claim(runId, workerId))?.attempt).toBe(1);
});

test('a run whose sweep is cancelled is no longer its worker’s, and is dropped once released', async () => {
  const { deviceKey, runId, workerId, sweepId } = await oneRun('ReleaseCancelled');
  await store.runs.claim(runId, workerId);
  const held = { workerId, deviceKey, runs: [runId] };
  expect(await store.runs.review(held)).toEqual({ lost: [], released: [] });
  await store.sweeps.cancel(sweepId);
  expect(await store.runs.review(held)).toEqual({ lost: [runId], released: [] });
  await store.runs.release(runId, workerId);
  expect((await store.sweeps.get(sweepId))?.counts.total).toBe(0);
});

test('a run of a cancelled sweep is not taken over, and reclaim drops it', async () => {
  const { runId, workerId, sweepId } = await oneRun('CancelledTakeover');
  const other = await attach(store, 'CancelledTakeover', 'w2');
  await store.runs.claim(runId, workerId);
  await store.sweeps.cancel(sweepId);
  await lose(workerId);
  expect(await store.runs.claim(runId, other.workerId)).toBeNull();
  expect(await store.runs.reclaim()).toMatchObject({ dropped: 1 });
  expect((await store.sweeps.get(sweepId))?.counts.total).toBe(0);
});

test('reclaim returns what a lost worker held, and only that', async () => {
  const held = await oneRun('Reclaim');
  const alive = await oneRun('Alive');
  await store.runs.claim(held.runId, held.workerId);
  await store.runs.claim(alive.runId, alive.workerId);
  await lose(held.workerId);
  expect(await store.runs.reclaim()).toEqual({ reclaimed: 1, dropped: 0 });
  const pending = await pendingIds();
  expect(pending).toContain(held.runId);
  expect(pending).not.toContain(alive.runId);
});

test('reclaim tells those who watch the sweeps that it touched', async () => {
  const held = await oneRun('Told');
  const cancelled = await oneRun('ToldOfDrop');
  for (const { runId, workerId } of [held, cancelled]) {
    await store.runs.claim(runId, workerId);
    await lose(workerId);
  }
  await store.sweeps.cancel(cancelled.sweepId);
  const listener = openListener(url);
  await listener.listen();
  const told = [held, cancelled].map(({ sweepId }) => once(listener.changes, sweepId));
  expect(await store.runs.reclaim()).toEqual({ reclaimed: 1, dropped: 1 });
  await Promise.all(told);
  await listener.close();
});

test('a result that comes back from a lost worker counts; the run ends once', async () => {
  const { runId, workerId } = await oneRun('Late');
  const other = await attach(store, 'Late', 'w2');
  await store.runs.claim(runId, workerId);
  await lose(workerId);
  await store.runs.claim(runId, other.workerId);
  const late = recorded(runId, workerId, measured(1e6));
  expect(await store.runs.record(late)).toEqual({ recorded: true });
  const second = recorded(runId, other.workerId, failed);
  expect(await store.runs.record(second)).toEqual({ recorded: false });
  expect(await store.runs.claim(runId, other.workerId)).toBeNull();
});

test('recording the same result many times at once writes it once', async () => {
  const { runId, workerId, sweepId } = await oneRun('Idempotent');
  const result = recorded(runId, workerId, measured(1e6));
  const answers = await Promise.all([1, 2, 3, 4].map(() => store.runs.record(result)));
  expect(answers.filter((answer) => answer.recorded)).toHaveLength(1);
  expect((await store.sweeps.get(sweepId))?.counts).toMatchObject({ total: 1, measured: 1 });
  expect(await db.result.count({ where: { runId } })).toBe(1);
});

test('a result reads back as it was recorded, samples and all', async () => {
  const { runId, workerId, sweepId, deviceKey } = await oneRun('ReadBack');
  const run = recorded(runId, workerId, measured(2e6), 'ReadBack');
  await store.runs.record(run);
  const [item] = (await store.sweeps.results(sweepId)).items;
  expect(item).toMatchObject({ runId, outcome: run.outcome, rate: { unit: 'GFLOP/s' } });
  expect(item?.rate?.value).toBeCloseTo((2 * 64 ** 3) / 2e6, 9);
  const detail = await store.results.get(item?.resultId ?? '');
  expect(detail).toMatchObject({
    outcome: run.outcome,
    environment: run.environment,
    wgsl: run.wgsl,
    device: { key: deviceKey, name: 'ReadBack', class: 'gpu' },
    worker: { id: workerId, name: 'w1' },
    sweep: { id: sweepId, name: 'test' },
    createdAt: run.endedAt,
  });
  expect(await store.results.get('unknown')).toBeNull();
});

test('environments and sources are kept once per content', async () => {
  const worker = await attach(store, 'Once');
  const { runIds } = await sweepOf(store, [planned(worker.deviceKey), planned(worker.deviceKey)]);
  const before = [await db.environment.count(), await db.kernelSource.count()];
  for (const runId of runIds) {
    const run = recorded(runId, worker.workerId, measured(1e6), 'Once');
    await store.runs.record({ ...run, wgsl: '// once' });
  }
  expect([await db.environment.count(), await db.kernelSource.count()]).toEqual(
    before.map((count) => count + 1),
  );
});

test('text that Postgres cannot store does not lose a result', async () => {
  const { runId, workerId } = await oneRun('Nul');
  const outcome = { kind: 'failed', stage: 'compile', message: 'a\0b' } as const;
  expect(await store.runs.record(recorded(runId, workerId, outcome))).toEqual({ recorded: true });
});

test('of results handed in at once, one that the database refuses harms no other', async () => {
  const { deviceKey, workerId } = await attach(store, 'Batch');
  const { runIds } = await sweepOf(
    store,
    Array.from({ length: 6 }, (_, at) => planned(deviceKey, { problem: square(64 * (at + 1)) })),
  );
  const results = runIds.map((runId, at) => recorded(runId, workerId, measured(1e6 + at), 'Batch'));
  // Postgres takes no such time; nothing before the statement looks at it.
  const bad = { ...results[2]!, endedAt: 'never' };
  const foreign = { ...results[4]!, environment: environment('Another') };
  const answers = await Promise.allSettled(
    [results[0]!, results[1]!, bad, results[3]!, foreign, results[5]!, results[0]!].map((each) =>
      store.runs.record(each),
    ),
  );
  expect(answers.map((each) => (each.status === 'fulfilled' ? each.value : 'refused'))).toEqual([
    { recorded: true },
    { recorded: true },
    'refused',
    { recorded: true },
    'refused',
    { recorded: true },
    { recorded: false },
  ]);
  expect(answers[4]).toMatchObject({ reason: { field: 'environment.device' } });
  const rows = await db.run.findMany({
    where: { id: { in: runIds } },
    orderBy: { ordinal: 'asc' },
  });
  expect(rows.map(({ state }) => state)).toEqual([
    'measured',
    'measured',
    'pending',
    'measured',
    'pending',
    'measured',
  ]);
  expect(await db.result.count({ where: { runId: { in: runIds } } })).toBe(4);
  expect(await store.runs.record(results[2]!)).toEqual({ recorded: true });
});

test('of workers that ask at once each gets the run that it asked for, if it is still there', async () => {
  const { deviceKey, workerId } = await attach(store, 'Rush');
  const other = await attach(store, 'Rush', 'w2');
  const stranger = await attach(store, 'Elsewhere');
  const { runIds } = await sweepOf(store, [planned(deviceKey), planned(deviceKey)]);
  const [first = '', second = ''] = runIds;
  const claims = await Promise.all([
    store.runs.claim(first, workerId),
    store.runs.claim('gone', workerId),
    store.runs.claim(second, stranger.workerId),
    store.runs.claim(second, other.workerId),
    store.runs.claim(first, other.workerId),
  ]);
  expect(claims.map((run) => run?.id ?? null)).toEqual([first, null, null, second, null]);
});

test('heartbeats that come at once are answered each with its own orders', async () => {
  const one = await oneRun('Beats');
  const two = await attach(store, 'Beats', 'w2');
  await store.runs.claim(one.runId, one.workerId);
  await store.workers.want(two.workerId, 'paused');
  const { deviceKey } = one;
  const [wanted, pausedNow, own, notIts] = await Promise.all([
    store.workers.heartbeat(one.workerId, 'running'),
    store.workers.heartbeat(two.workerId, 'idle'),
    store.runs.review({ workerId: one.workerId, deviceKey, runs: [one.runId] }),
    store.runs.review({ workerId: two.workerId, deviceKey, runs: [one.runId, 'gone'] }),
  ]);
  expect([wanted, pausedNow]).toEqual(['working', 'paused']);
  expect(own).toEqual({ lost: [], released: [] });
  expect(notIts).toEqual({ lost: [one.runId, 'gone'], released: [] });
});
