import { createClient, type PrismaClient } from '@tilemark/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../services.test-helper';
import {
  attach,
  capabilities,
  identity,
  measured,
  planned,
  recordAll,
  sweepOf,
} from './fixtures.test-helper';
import type { Store } from './store';
import { openStore } from './store';

let store: Store;
let db: PrismaClient;

beforeAll(async () => {
  const url = await testDatabase();
  store = openStore(url);
  db = createClient(url);
});
afterAll(async () => {
  await store.close();
  await db.$disconnect();
});

const silentFor = (workerId: string, ms: number) =>
  db.worker.update({
    where: { id: workerId },
    data: { lastHeartbeatAt: new Date(Date.now() - ms) },
  });
const listed = async (workerId: string) =>
  (await store.workers.list()).find((worker) => worker.id === workerId);

test('of workers that bring a new device at once exactly one hears that it is new', async () => {
  const attached = await Promise.all(['a', 'b', 'c'].map((name) => attach(store, 'New', name)));
  expect(attached.filter((each) => each.newDevice)).toHaveLength(1);
  expect(new Set(attached.map((each) => each.deviceKey)).size).toBe(1);
  expect((await attach(store, 'New', 'd')).newDevice).toBe(false);
});

test('an attached worker is listed with its device and state', async () => {
  const { workerId, deviceKey } = await attach(store, 'Listed');
  expect(await listed(workerId)).toMatchObject({
    name: 'w1',
    host: 'lab',
    version: '0.1.0',
    state: 'idle',
    device: { key: deviceKey, name: 'Listed', class: 'gpu' },
  });
  await store.workers.heartbeat(workerId, 'running');
  expect((await listed(workerId))?.state).toBe('running');
});

test('a silent worker is lost, and found again by its next heartbeat', async () => {
  const { workerId } = await attach(store, 'Silent');
  await silentFor(workerId, 21_000);
  expect((await listed(workerId))?.state).toBe('lost');
  await store.workers.heartbeat(workerId, 'idle');
  expect((await listed(workerId))?.state).toBe('idle');
});

test('a heartbeat from the future, which a clock put back leaves, keeps nobody alive', async () => {
  const { workerId } = await attach(store, 'Ahead', 'ahead');
  await silentFor(workerId, -3_600_000);
  expect((await listed(workerId))?.state).toBe('lost');
  await store.workers.heartbeat(workerId, 'idle');
  expect((await listed(workerId))?.state).toBe('idle');
});

test('a detached worker, one lost for a day and one that came back are not listed', async () => {
  const detached = await attach(store, 'Gone', 'detached');
  await store.workers.detach(detached.workerId);
  expect(await listed(detached.workerId)).toBeUndefined();

  const forgotten = await attach(store, 'Gone', 'forgotten');
  await silentFor(forgotten.workerId, 25 * 3_600_000);
  expect(await listed(forgotten.workerId)).toBeUndefined();

  const crashed = await attach(store, 'Gone', 'crashed');
  await silentFor(crashed.workerId, 21_000);
  const back = await attach(store, 'Gone', 'crashed');
  expect(await listed(crashed.workerId)).toBeUndefined();
  expect(await listed(back.workerId)).toBeDefined();
});

test('of two machines of one name neither takes the other off the list: they have a token each', async () => {
  const attached = async () => {
    const { id } = await store.tokens.create({ name: 't', role: 'worker', expiresAt: null });
    const fields = { name: 'namesake', host: 'lab', version: '0.1.0', capabilities };
    const { workerId } = await store.workers.attach({
      ...{ ...fields, identity: identity('Namesakes'), tokenId: id },
    });
    await db.worker.update({ where: { id: workerId }, data: { tokenId: id } });
    return workerId;
  };
  const lost = await attached();
  await silentFor(lost, 21_000);
  const other = await attached();
  expect(await listed(lost)).toMatchObject({ state: 'lost' });
  expect(await listed(other)).toMatchObject({ state: 'idle' });
});

test('a live worker of the same name stays: two processes may share it', async () => {
  const first = await attach(store, 'Twins', 'twin');
  await attach(store, 'Twins', 'twin');
  expect(await listed(first.workerId)).toBeDefined();
});

test('a device shows its identity, live workers, runs and results', async () => {
  const { deviceKey, workerId } = await attach(store, 'Shown');
  const lost = await attach(store, 'Shown', 'lost');
  await silentFor(lost.workerId, 21_000);
  await recordAll(store, deviceKey, workerId, [[planned(deviceKey), measured(1e6)]]);
  await sweepOf(store, [planned(deviceKey), planned(deviceKey)]);
  const device = await store.devices.get(deviceKey);
  expect(device).toMatchObject({
    key: deviceKey,
    name: 'Shown',
    class: 'gpu',
    identity: identity('Shown'),
    capabilities,
    workers: 1,
    pending: 2,
    results: 1,
  });
  expect((await store.devices.list()).items).toContainEqual(device);
  expect(await store.devices.get('unknown')).toBeNull();
});

test('attaching again renews what is known of the device', async () => {
  const { deviceKey } = await attach(store, 'Renewed');
  await store.workers.attach({
    name: 'w1',
    host: 'lab',
    version: '0.2.0',
    identity: identity('Renewed'),
    capabilities: { ...capabilities, features: ['shader-f16'] },
  });
  expect((await store.devices.get(deviceKey))?.capabilities.features).toEqual(['shader-f16']);
});
