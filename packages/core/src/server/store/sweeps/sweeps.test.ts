import { InputError } from '@tilemark/kernels';
import { beforeAll, expect, test } from 'vitest';
import type { Outcome } from '../../../measure/outcome';
import {
  attach,
  failed,
  kernelRun,
  measured,
  planned,
  recorded,
  spec,
  sweepOf,
} from '../fixtures.test-helper';
import { testStore } from '../store.test-helper';

let deviceKey: string;
let workerId: string;

const { store } = await testStore();
beforeAll(async () => {
  ({ deviceKey, workerId } = await attach(store));
});

const runs = (count: number) =>
  Array.from({ length: count }, (_, index) => planned(deviceKey, { address: `run ${index}` }));

test('a new sweep is queued with all of its runs pending', async () => {
  const { sweep, runIds } = await sweepOf(store, runs(3));
  expect(sweep.status).toBe('queued');
  expect(sweep.counts).toMatchObject({ total: 3, pending: 3, measured: 0 });
  expect(await store.sweeps.get(sweep.id)).toEqual(sweep);
  expect(runIds).toHaveLength(3);
});

test('status and counts follow the runs', async () => {
  const { id, runIds } = await sweepOf(store, runs(3));
  await store.runs.claim(runIds[0]!, workerId);
  expect((await store.sweeps.get(id))?.status).toBe('running');
  const last = recorded(runIds[2]!, workerId, { kind: 'skipped', why: 'too big' });
  await store.runs.record(recorded(runIds[0]!, workerId, measured(1e6)));
  await store.runs.record(recorded(runIds[1]!, workerId, failed));
  // The clock of these outcomes is long past: nothing runs, so it waits.
  expect((await store.sweeps.get(id))?.status).toBe('queued');
  await store.runs.record({ ...last, endedAt: '2030-01-01T00:00:00.000Z' });
  expect(await store.sweeps.get(id)).toMatchObject({
    status: 'done',
    counts: { total: 3, pending: 0, measured: 1, skipped: 1, incorrect: 0, failed: 1 },
  });
});

test('results come in pages, in the order of the sweep, each exactly once', async () => {
  const { id, runIds } = await sweepOf(store, runs(250));
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.sweeps.results(id, cursor);
    seen.push(...page.items.map((item) => item.runId));
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  expect(seen).toEqual(runIds);
  await expect(store.sweeps.results(id, 'x')).rejects.toThrow(InputError);
});

test('sweeps are listed newest first, in pages', async () => {
  const { id } = await sweepOf(store, runs(1));
  const [first] = (await store.sweeps.list()).items;
  expect(first?.id).toBe(id);
  for (let index = 0; index < 101; index++) await sweepOf(store, runs(1));
  const page = await store.sweeps.list();
  expect(page.items).toHaveLength(100);
  const rest = await store.sweeps.list(page.nextCursor ?? '');
  expect(rest.items[1]?.id).toBe(id);
});

test('a sweep of 20,000 runs is made whole', async () => {
  const { id, runIds } = await sweepOf(store, runs(20_000));
  expect(new Set(runIds).size).toBe(20_000);
  expect((await store.sweeps.get(id))?.counts.total).toBe(20_000);
});

test('a sweep with an unknown device is not made at all', async () => {
  const before = (await store.sweeps.list()).items.map((sweep) => sweep.id);
  await expect(sweepOf(store, [...runs(1), planned('nowhere')])).rejects.toThrow();
  expect((await store.sweeps.list()).items.map((sweep) => sweep.id)).toEqual(before);
});

test('one idempotency key makes one sweep, even at once', async () => {
  const create = () =>
    store.sweeps.create({
      name: 'starter',
      suite: 'starter@1',
      spec,
      runs: runs(2),
      createdBy: 'tester',
      idempotencyKey: 'once',
    });
  const made = await Promise.all([create(), create(), create()]);
  expect(new Set(made.map(({ sweep }) => sweep.id)).size).toBe(1);
  expect(made.map((each) => each.runs.length).sort()).toEqual([0, 0, 2]);
  expect(made.every(({ sweep }) => sweep.counts.total === 2)).toBe(true);
  expect(await store.sweeps.ofSuite('starter@1', deviceKey)).toEqual([made[0]?.sweep.id]);
  expect(await store.sweeps.ofSuite('starter@1', 'another')).toEqual([]);
});

test('cancel drops what had not begun; what was claimed still records', async () => {
  const { id, runIds } = await sweepOf(store, runs(3));
  await store.runs.claim(runIds[0]!, workerId);
  expect(await store.sweeps.cancel(id)).toMatchObject({
    status: 'cancelled',
    counts: { total: 1, pending: 1 },
  });
  expect(await store.runs.claim(runIds[1]!, workerId)).toBeNull();
  const ended = recorded(runIds[0]!, workerId, measured(1e6));
  expect(await store.runs.record(ended)).toEqual({ recorded: true });
  expect(await store.sweeps.get(id)).toMatchObject({
    status: 'cancelled',
    counts: { total: 1, pending: 0, measured: 1 },
  });
  const dropped = recorded(runIds[1]!, workerId, measured(1e6));
  await expect(store.runs.record(dropped)).rejects.toMatchObject({ isGone: true });
});

test('cancel leaves a finished sweep done, and knows no unknown one', async () => {
  const { id, runIds } = await sweepOf(store, runs(1));
  await store.runs.record(recorded(runIds[0]!, workerId, measured(1e6)));
  expect((await store.sweeps.cancel(id))?.status).toBe('done');
  expect(await store.sweeps.cancel('unknown')).toBeNull();
});

test('a suite of a cancelled sweep counts as started', async () => {
  const { sweep } = await store.sweeps.create({
    name: 'x',
    suite: 'layouts@1',
    spec,
    runs: runs(1),
    createdBy: 'tester',
  });
  await store.sweeps.cancel(sweep.id);
  expect(await store.sweeps.ofSuite('layouts@1', deviceKey)).toEqual([sweep.id]);
});

test('retry puts failed runs back, once, and a replayed journal line cannot end them', async () => {
  const { id, runIds } = await sweepOf(store, [
    kernelRun(deviceKey, 'matmul/tiled'),
    kernelRun(deviceKey, 'matmul/naive'),
  ]);
  const failure = recorded(runIds[0]!, workerId, failed);
  await store.runs.record(failure);
  await store.runs.record(recorded(runIds[1]!, workerId, measured(1e6)));

  expect(await store.sweeps.retryFailed(id)).toEqual([{ id: runIds[0], deviceKey }]);
  expect(await store.sweeps.retryFailed(id)).toEqual([]);
  expect(await store.runs.record(failure)).toEqual({ recorded: false });
  expect((await store.runs.claim(runIds[0]!, workerId))?.attempt).toBe(1);
  const again = recorded(runIds[0]!, workerId, measured(2e6));
  expect(await store.runs.record(again)).toEqual({ recorded: true });
  expect((await store.sweeps.get(id))?.counts).toMatchObject({ measured: 2, failed: 0 });
  expect(await store.sweeps.retryFailed('unknown')).toBeNull();
});

const withFailed = async () =>
  (await store.sweeps.list(undefined, { state: 'failed' })).items.map(({ id }) => id);

test('sweeps with failed runs are listed until those are retried', async () => {
  const { id, runIds } = await sweepOf(store, runs(2));
  await store.runs.record(recorded(runIds[0]!, workerId, measured(1e6)));
  expect(await withFailed()).not.toContain(id);
  await store.runs.record(recorded(runIds[1]!, workerId, failed));
  expect(await withFailed()).toContain(id);
  await store.sweeps.retryFailed(id);
  expect(await withFailed()).not.toContain(id);
});

test('a kernel that does not compile is not tried again, and its sweep says why', async () => {
  const { id, runIds } = await sweepOf(store, runs(2));
  const broken: Outcome = { kind: 'failed', stage: 'compile', message: 'unresolved value' };
  await store.runs.record(recorded(runIds[0]!, workerId, broken));
  await store.runs.record(recorded(runIds[1]!, workerId, failed));
  const views = await store.sweeps.runs(id, 10);
  expect(views.map(({ mayRetry }) => mayRetry)).toEqual([undefined, true]);
  expect(await withFailed()).toContain(id);
  expect(await store.sweeps.retryFailed(id)).toEqual([{ id: runIds[1], deviceKey }]);
  expect(await withFailed()).not.toContain(id);
  await expect(store.sweeps.retryFailed(id)).rejects.toThrow('did not compile');
});

test('a cancelled sweep is not retried', async () => {
  const { id, runIds } = await sweepOf(store, runs(2));
  await store.runs.record(recorded(runIds[0]!, workerId, failed));
  await store.sweeps.cancel(id);
  await expect(store.sweeps.retryFailed(id)).rejects.toThrow(InputError);
  expect(await withFailed()).not.toContain(id);
});
