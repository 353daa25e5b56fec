import { expect, test } from 'vitest';
import { workerSchema } from '../../../api/api';
import { attach, failed, measured, planned, recorded, sweepOf } from '../fixtures.test-helper';
import { testStore } from '../store.test-helper';

const { db, store } = await testStore();

const listed = async (workerId: string) =>
  (await store.workers.list()).find((worker) => worker.id === workerId);
const queueOf = async (deviceKey: string) =>
  (await store.workers.queues()).find(({ device }) => device.key === deviceKey);

test('a worker is shown with the run in hand and what it did within the hour', async () => {
  const { workerId, deviceKey } = await attach(store, 'Busy');
  const { id, runIds } = await sweepOf(
    store,
    ['a', 'b', 'c'].map((address) => planned(deviceKey, { address })),
  );
  const [first = '', second = '', third = ''] = runIds;
  await store.runs.claim(first, workerId);
  await store.runs.record(recorded(first, workerId, measured(1e6)));
  await store.runs.claim(second, workerId);
  await store.runs.record(recorded(second, workerId, failed));
  await store.runs.claim(third, workerId);
  const worker = await listed(workerId);
  expect(workerSchema.parse(worker)).toMatchObject({
    run: { id: third, address: 'c', shape: '64', dtype: 'f32', sweep: { id, name: 'test' } },
    lastHour: { ended: 2, failed: 1 },
  });

  await db.result.updateMany({
    where: { workerId },
    data: { recordedAt: new Date(Date.now() - 2 * 3_600_000) },
  });
  expect((await listed(workerId))?.lastHour).toEqual({ ended: 0, failed: 0 });
});

test('what an admin wants is told by the heartbeat, and outlasts the process', async () => {
  const { workerId } = await attach(store, 'Wanted');
  expect(await store.workers.heartbeat(workerId, 'idle')).toBe('working');
  expect(await store.workers.want(workerId, 'drained')).toMatchObject({ wanted: 'drained' });
  expect(await store.workers.heartbeat(workerId, 'draining')).toBe('drained');
  await store.workers.detach(workerId);
  expect(await store.workers.want(workerId, 'working')).toBeNull();

  const again = await attach(store, 'Wanted');
  expect(await listed(again.workerId)).toMatchObject({ wanted: 'drained' });
  await store.workers.want(again.workerId, 'working');
  expect(await store.workers.heartbeat(again.workerId, 'idle')).toBe('working');
});

test('one that was killed and came back as another is not listed as lost beside it', async () => {
  const killed = await attach(store, 'Killed', 'same name');
  const again = await attach(store, 'Killed', 'same name');
  const other = await attach(store, 'Killed', 'other name');
  const names = async () => {
    const listed = (await store.workers.list()).filter(({ device }) => device.name === 'Killed');
    return listed.map(({ id, state }) => [id, state]);
  };
  // Until it is known to be lost, the two may well be two.
  expect(await names()).toHaveLength(3);
  const silent = { data: { lastHeartbeatAt: new Date(Date.now() - 60_000) } };
  await db.worker.update({ where: { id: killed.workerId }, ...silent });
  await db.worker.update({ where: { id: other.workerId }, ...silent });
  expect(await names()).toEqual([
    [other.workerId, 'lost'],
    [again.workerId, 'idle'],
  ]);
});

test('a queue says how long it is, who serves it and when it will be empty', async () => {
  const { workerId, deviceKey } = await attach(store, 'Queue');
  await attach(store, 'Queue', 'w2');
  const { runIds } = await sweepOf(
    store,
    Array.from({ length: 5 }, (_, index) => planned(deviceKey, { address: `${index}` })),
  );
  expect(await queueOf(deviceKey)).toMatchObject({
    workers: 2,
    serving: 2,
    waiting: 5,
    etaMs: null,
  });
  const [first = ''] = runIds;
  await store.runs.claim(first, workerId);
  const run = recorded(first, workerId, measured(1e6));
  const beganAt = new Date(Date.parse(run.endedAt) - 60_000).toISOString();
  await store.runs.record({ ...run, beganAt });
  const both = await queueOf(deviceKey);
  // Four runs of a minute between two.
  expect(both?.etaMs).toBe(120_000);

  // A sweep that comes after them knows its place, and when its turn comes.
  const later = await sweepOf(store, [planned(deviceKey, { address: 'later' })]);
  const [waits] = await store.sweeps.waiting(later.id);
  expect(waits).toMatchObject({ runs: 1, ahead: 4, isRunning: false, isServed: true });
  expect(waits?.startMs).toBeCloseTo(both?.etaMs ?? 0, -1);
  expect(waits?.etaMs).toBeCloseTo(1.25 * (both?.etaMs ?? 0), -1);
  await store.workers.want(workerId, 'paused');
  expect((await queueOf(deviceKey))?.serving).toBe(1);
});

test('runs that wait for a device without a worker are told', async () => {
  const { workerId, deviceKey } = await attach(store, 'Alone');
  await sweepOf(store, [planned(deviceKey)]);
  await store.workers.detach(workerId);
  expect(await queueOf(deviceKey)).toMatchObject({ workers: 0, serving: 0, waiting: 1 });
});
