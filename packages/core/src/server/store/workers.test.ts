import { createClient, type PrismaClient } from '@tilemark/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../services.test-helper';
import { LimitReached } from '../errors';
import {
  attach,
  capabilities,
  identity,
  measured,
  planned,
  recordAll,
  sweepOf,
} from './fixtures.test-helper';
import { MOST_WAITING } from './runs';
import type { Store } from './store';
import { openStore } from './store';
import { NEW_DEVICES } from './workers';

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

test('workers that bring a new device at once bring one', async () => {
  const attached = await Promise.all(['a', 'b', 'c'].map((name) => attach(store, 'New', name)));
  expect(new Set(attached.map((each) => each.deviceKey)).size).toBe(1);
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
      ...fields,
      identity: identity('Namesakes'),
      tokenId: id,
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

test('a token makes some devices known in a day, and all tokens together do', async () => {
  const { perToken, inSum } = NEW_DEVICES;
  const token = async (role: 'worker' | 'admin' = 'worker') =>
    (await store.tokens.create({ name: 'inventive', role, expiresAt: null })).id;
  const attachAs = (tokenId: string, device: string) =>
    store.workers.attach({
      name: 'w',
      host: 'h',
      version: '0',
      capabilities,
      tokenId,
      identity: identity(device),
    });
  const first = await token();
  // All at once: they are counted one after another.
  const attempts = await Promise.allSettled(
    Array.from({ length: perToken + 4 }, (_, at) => attachAs(first, `Invented ${at}`)),
  );
  const refused = attempts.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  expect(refused.map((error) => error instanceof LimitReached)).toEqual(Array(4).fill(true));
  expect(String(refused[0])).toMatch(/^LimitReached: This token has attached 16 devices/);
  // What the grid knows is attached as ever.
  await attachAs(first, (await db.device.findFirstOrThrow({ where: { ownedBy: first } })).name);
  const others = (await db.device.findMany({ where: { ownedBy: first } })).length;
  await db.device.createMany({
    data: Array.from({ length: inSum - others }, (_, at) => ({
      key: `of another ${at}`,
      name: 'x',
      vendor: 'x',
      architecture: 'x',
      backend: 'x',
      runtime: 'x',
      class: 'gpu' as const,
      capabilities: {},
      ownedBy: `token ${at}`,
    })),
  });
  await expect(attachAs(await token(), 'One more')).rejects.toThrow(/^Tokens have attached 256/);
  expect((await attachAs(await token('admin'), 'One more')).released).toEqual([]);
  // A day later it may go on.
  await db.device.updateMany({ data: { firstSeenAt: new Date(Date.now() - 86_400_001) } });
  expect((await attachAs(first, 'Yet another')).released).toEqual([]);
});

test('the grid queues work of its own for the devices of strangers while not too much waits', async () => {
  const stranger = async (device: string) => {
    const { id } = await store.tokens.create({ name: 's', role: 'worker', expiresAt: null });
    const { deviceKey } = await store.workers.attach({
      name: 'w',
      host: 'h',
      version: '0',
      capabilities,
      tokenId: id,
      identity: identity(device),
    });
    return deviceKey;
  };
  const [busy, other] = [await stranger('Busy'), await stranger('Other')];
  const own = (await attach(store, 'Operator')).deviceKey;
  const room = () => Promise.all([busy, other, own].map((key) => store.runs.hasRoomFor(key)));
  expect(await room()).toEqual([true, true, true]);
  const many = (key: string, count: number) =>
    sweepOf(
      store,
      Array.from({ length: count }, () => planned(key)),
    );
  await many(own, MOST_WAITING.inSum);
  expect(await room()).toEqual([true, true, true]);
  await many(busy, MOST_WAITING.perToken);
  expect(await room()).toEqual([false, true, true]);
  await many(await stranger('Third'), MOST_WAITING.inSum - MOST_WAITING.perToken);
  expect(await room()).toEqual([false, false, true]);
});
