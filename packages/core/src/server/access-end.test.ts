import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { beforeAll, expect, test } from 'vitest';
import { reconcileAccess } from './enrol';
import { DatabaseUnavailable, QueueUnavailable } from './errors';
import type { Queue } from './queue';
import type { Store } from './store';
import { planned, sweepOf } from './store/test-fixtures';
import { describeEnrolment, type EnrolmentLab, query } from './test-enrolment';

/** How the access of enrolled workers ends, and that it stays ended: enrol.ts, store/enrolments.ts. */

describeEnrolment((lab, kind) => {
  let databaseUrl: string;
  let store: Store;
  let queue: Queue;
  beforeAll(() => {
    ({ databaseUrl, store, queue } = lab());
  });
  const enrol: EnrolmentLab['enrol'] = (...args) => lab().enrol(...args);
  const newToken: EnrolmentLab['newToken'] = (...args) => lab().newToken(...args);

  test('a revoked worker is cut off, gives its run back, and needs a newer token', async () => {
    const instance = randomUUID();
    const untouched = randomUUID();
    const { id: token } = await store.tokens.create({ name: 'r', role: 'worker', expiresAt: null });
    const worker = await enrol('Revoked', { instance }, token);
    const other = await enrol('Untouched', { instance: untouched }, token);
    await Promise.all([worker.store.ping(), worker.queue.ping()]);
    const [runId = ''] = (await sweepOf(store, [planned(worker.deviceKey)])).runIds;
    await worker.store.runs.claim(runId, worker.workerId);

    expect(await store.workers.revoke(worker.workerId)).toBe('revoked');
    expect(await reconcileAccess({ store, queue })).toBeGreaterThan(0);
    await expect(worker.store.ping()).rejects.toThrow(DatabaseUnavailable);
    if (kind === 'Redis') await expect(worker.queue.ping()).rejects.toThrow(QueueUnavailable);
    const role = new URL(worker.databaseUrl).username;
    expect(
      await query(databaseUrl, `SELECT 1 FROM pg_stat_activity WHERE usename = '${role}'`),
    ).toEqual([]);
    const pending: string[] = [];
    for await (const { id } of store.runs.pending()) pending.push(id);
    expect(pending).toContain(runId);
    await Promise.all([other.store.ping(), other.queue.ping()]);
    expect(await store.workers.revoke(worker.workerId)).toBeNull();

    await expect(enrol('Revoked', { instance }, token)).rejects.toThrow('revoked');
    // Under another name too. A worker that the token had let in may come back.
    await expect(enrol('Revoked', {}, token)).rejects.toThrow('revoked');
    await enrol('Untouched', { instance: untouched }, token);
    const newer = await store.tokens.create({ name: 'n', role: 'worker', expiresAt: null });
    expect((await enrol('Revoked', { instance }, newer.id)).workerId).toBe(worker.workerId);
    await expect(enrol('Revoked', { instance }, token)).rejects.toThrow('revoked');
  });

  test('what looked at the rows before a worker was revoked does not let it in again', async () => {
    const { workerId } = await enrol('Stale', {}, await newToken());
    const admitted: string[] = [];
    await store.workers.revoke(workerId);
    await reconcileAccess({ store, queue });
    await store.enrolments.admit(workerId, async ({ login }) => void admitted.push(login));
    expect(admitted).toEqual([]);
    // While one is being let in, its access waits to end.
    const other = await enrol('Held', {}, await newToken());
    await store.workers.revoke(other.workerId);
    let ending: Promise<unknown> = Promise.resolve();
    const order: string[] = [];
    await store.enrolments.admit(other.workerId, async (account) => {
      const expel = async () => void order.push('out');
      ending = store.enrolments.end({ workerId: other.workerId, login: account.login }, expel);
      await setTimeout(100);
      order.push('in');
    });
    await ending;
    expect(order).toEqual(['in', 'out']);
  });

  test('a worker that starts again while its access is ended keeps what it got', async () => {
    const instance = randomUUID();
    const first = await enrol('Restarted', { instance });
    await store.workers.detach(first.workerId);
    const [stale] = await store.enrolments.ended();
    const again = await enrol('Restarted', { instance });
    expect(stale?.workerId).toBe(first.workerId);
    const expel = () => Promise.reject(new Error('expelled'));
    expect(stale && (await store.enrolments.end(stale, expel))).toBe(false);
    await again.store.ping();
    expect((await store.workers.list()).map(({ id }) => id)).toContain(again.workerId);
  });

  test('several that cut off at once do not fail each other', async () => {
    for (const device of ['a', 'b', 'c']) {
      await store.workers.revoke((await enrol(device, {}, await newToken())).workerId);
    }
    const counts = await Promise.all([1, 2, 3, 4].map(() => reconcileAccess({ store, queue })));
    expect(counts.reduce((sum, count) => sum + count)).toBe(3);
  });

  test('one that cannot be cut off does not spare the others', async () => {
    const [one, two] = [
      await enrol('1', {}, await newToken()),
      await enrol('2', {}, await newToken()),
    ];
    await store.workers.revoke(one.workerId);
    await store.workers.revoke(two.workerId);
    const expel = (login: string) =>
      login === new URL(one.databaseUrl).username
        ? Promise.reject(new Error('not this one'))
        : queue.expel(login);
    const broken = { store, queue: { ...queue, expel } };
    await expect(reconcileAccess(broken)).rejects.toThrow('not this one');
    expect((await store.enrolments.ended()).map(({ workerId }) => workerId)).toEqual([
      one.workerId,
    ]);
    await expect(one.store.ping()).rejects.toThrow(DatabaseUnavailable);
    expect(await reconcileAccess({ store, queue })).toBe(1);
  });

  test('access ends with the token, and comes back where Redis forgot it', async () => {
    const token = await store.tokens.create({ name: 'x', role: 'worker', expiresAt: null });
    const worker = await enrol('Token', {}, token.id);
    if (kind === 'Redis') {
      const admin = new Redis(lab().redisUrl ?? '');
      await admin.call('ACL', 'DELUSER', new URL(worker.redisUrl ?? '').username);
      admin.disconnect();
      await expect(worker.queue.ping()).rejects.toThrow(QueueUnavailable);
    }
    await reconcileAccess({ store, queue });
    await worker.queue.ping();
    await worker.store.ping();
    await store.tokens.revoke(token.id);
    await reconcileAccess({ store, queue });
    await expect(worker.store.ping()).rejects.toThrow(DatabaseUnavailable);
    expect((await store.workers.list()).map(({ id }) => id)).not.toContain(worker.workerId);
  });
});
