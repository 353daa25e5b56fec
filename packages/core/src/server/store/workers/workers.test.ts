import { beforeEach, describe, expect, test } from 'vitest';
import { LimitReached } from '../../errors';
import { NEW_DEVICES } from '../devices/describe';
import {
  attach,
  capabilities,
  identity,
  measured,
  planned,
  recordAll,
  sweepOf,
} from '../fixtures.test-helper';
import { testStore } from '../store.test-helper';

const { db, store } = await testStore();

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

describe('devices new to the grid', () => {
  const made = async (role: 'worker' | 'member' | 'admin' = 'worker') =>
    (await store.tokens.create({ name: 'inventive', role, expiresAt: null })).id;
  const inviteOf = (tokenId: string) =>
    store.invites.create({
      name: 'class',
      seats: 40,
      expiresAt: new Date(Date.now() + 60_000),
      by: { tokenId, name: 'Ada', role: 'member' },
    });
  const seatOf = async ({ secret }: { readonly secret: string }) => {
    const seat = await store.invites.redeem(secret);
    return (await store.tokens.verify(seat.secret))?.tokenId ?? '';
  };
  let devices = 0;
  const attachAs = (tokenId: string, device = `Invented ${devices++}`) =>
    store.workers.attach({
      name: 'w',
      host: 'h',
      version: '0',
      capabilities,
      tokenId,
      identity: identity(device),
    });
  /** Those refused, of so many at once: they are counted one after another. */
  const refusedOf = async (tokenId: string, count: number): Promise<unknown[]> => {
    const attempts = await Promise.allSettled(
      Array.from({ length: count }, () => attachAs(tokenId)),
    );
    return attempts.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  };
  /** Devices that so many seats of an invite have brought, as many as each may. */
  const fill = async (seats: number, invite: { readonly secret: string }) => {
    for (let seat = 0; seat < seats; seat++) {
      const tokenId = await seatOf(invite);
      await attachAs(tokenId);
      const { key, ...like } = await db.device.findFirstOrThrow({
        where: { describedBy: tokenId },
      });
      await db.device.createMany({
        data: Array.from({ length: NEW_DEVICES.token - 1 }, (_, at) => ({
          ...like,
          capabilities: {},
          key: `${key} ${at}`,
        })),
      });
    }
  };
  const yesterday = { data: { firstSeenAt: new Date(Date.now() - 86_400_001) } };
  beforeEach(() => db.device.updateMany(yesterday));

  test('one seat has a share, and takes nothing from classmates', async () => {
    const invite = await inviteOf(await made('member'));
    const [student, classmate] = [await seatOf(invite), await seatOf(invite)];
    const refused = await refusedOf(student, NEW_DEVICES.token + 8);
    expect(refused.map((error) => error instanceof LimitReached)).toEqual(Array(8).fill(true));
    expect(String(refused[0])).toMatch(/^LimitReached: This token has attached 8 devices/);
    // What the grid knows is attached as ever.
    const known = await db.device.findFirstOrThrow({ where: { describedBy: student } });
    await attachAs(student, known.name);
    await attachAs(classmate);
    await db.device.updateMany(yesterday);
    await attachAs(student);
  });

  test('one that only files name is new when it is attached, whenever that was', async () => {
    const student = await made();
    const brought = Array.from({ length: NEW_DEVICES.token + 1 }, (_, at) => `Brought ${at}`);
    for (const name of brought) await attachAs(await made(), name);
    await db.device.updateMany({
      where: { name: { in: brought } },
      data: { ...yesterday.data, describedBy: null },
    });
    const [last = '', ...others] = brought;
    for (const name of others) await attachAs(student, name);
    await expect(attachAs(student, last)).rejects.toThrow(LimitReached);
  });

  test('an invite has a share, which its maker’s other invites and everybody else keep', async () => {
    const member = await made('member');
    const [taken, other] = [await inviteOf(member), await inviteOf(member)];
    await fill(NEW_DEVICES.invite / NEW_DEVICES.token, taken);
    await expect(attachAs(await seatOf(taken))).rejects.toThrow(/This invite has attached 64/);
    await attachAs(await seatOf(other));
    await attachAs(await made());
  });

  test('a member has a share, which nobody else loses', async () => {
    const member = await made('member');
    const full = NEW_DEVICES.member / NEW_DEVICES.invite;
    for (let at = 0; at < full; at++) {
      await fill(NEW_DEVICES.invite / NEW_DEVICES.token, await inviteOf(member));
    }
    const next = await inviteOf(member);
    await expect(attachAs(await seatOf(next))).rejects.toThrow(/This member has attached 256/);
    await attachAs(await seatOf(await inviteOf(await made('member'))));
    await attachAs(await made());
    await attachAs(await made('admin'));
  });
});
