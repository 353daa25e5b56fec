import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { createClient } from '@tilemark/db';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testDatabase, testRedisUrl } from '../../test-services';
import type { EnrolmentRequest } from '../api';
import { enrolWorker, reconcileAccess } from './enrol';
import { DatabaseUnavailable, QueueUnavailable } from './errors';
import type { Queue } from './queue';
import { openQueue } from './queue/open-queue';
import { reconcile } from './reconcile';
import type { Store } from './store';
import { openStore } from './store/open-store';
import {
  attach,
  capabilities,
  identity,
  measured,
  planned,
  recorded,
  sweepOf,
} from './store/test-fixtures';

const request = (device: string, over: Partial<EnrolmentRequest> = {}): EnrolmentRequest => ({
  version: '0.1.0',
  name: 'w',
  host: 'lab',
  instance: randomUUID(),
  identity: identity(device),
  capabilities,
  at: new Date().toISOString(),
  ...over,
});

/** What reaches beyond the queue of a worker's own device. */
const REFUSED_BY_REDIS: string[][] = [
  ['flushall'],
  ['flushdb'],
  ['config', 'get', '*'],
  ['config', 'set', 'dir', '/tmp'],
  ['keys', '*'],
  ['scan', '0'],
  ['acl', 'list'],
  ['acl', 'setuser', 'mine', 'on'],
  ['debug', 'sleep', '0'],
  ['shutdown', 'nosave'],
  ['client', 'list'],
  ['client', 'kill', 'type', 'normal'],
  ['monitor'],
  ['subscribe', 'x'],
  ['publish', 'x', 'y'],
  ['script', 'flush'],
  ['function', 'list'],
  ['slaveof', 'no', 'one'],
  ['module', 'list'],
  ['get', 'some-key'],
  ['eval', "return redis.call('flushall')", '0'],
  ['eval', "return redis.call('get', 'some-key')", '0'],
  ['eval', "return redis.call('lrange', KEYS[1], 0, -1)", '1', 'THEIRS'],
  ['eval', "return redis.call('keys', '*')", '0'],
];

describe.each([
  ['Redis', testRedisUrl()],
  ['Postgres', null],
] as const)('with the queue in %s', (kind, redisUrl) => {
  if (kind === 'Redis' && redisUrl === null) return test.skip('Redis is not installed');

  const prefix = `test-${randomUUID()}`;
  let databaseUrl: string;
  let store: Store;
  let queue: Queue;
  let tokenId: string;
  const opened: { close(): Promise<void> }[] = [];

  beforeAll(async () => {
    databaseUrl = await testDatabase();
    // As it is before Postgres 15.
    await query(databaseUrl, 'GRANT CREATE ON SCHEMA public TO PUBLIC');
    store = openStore(databaseUrl);
    queue = openQueue({ databaseUrl, redisUrl, prefix });
    tokenId = (await store.tokens.create({ name: 't', role: 'worker', expiresAt: null })).id;
  });
  afterAll(async () => {
    await Promise.all(opened.map((each) => each.close()));
    await queue.close();
    await store.close();
  });

  const enrol = async (device: string, over: Partial<EnrolmentRequest> = {}, token = tokenId) => {
    const enrolled = await enrolWorker({ store, queue }, request(device, over), token, {
      databaseUrl,
      redisUrl,
    });
    if (!enrolled) throw new Error('revoked');
    const own = openStore(enrolled.databaseUrl);
    const ownQueue = openQueue({ ...enrolled, prefix });
    opened.push(own, ownQueue);
    return { ...enrolled, store: own, queue: ownQueue };
  };

  const newToken = async () =>
    (await store.tokens.create({ name: 'n', role: 'worker', expiresAt: null })).id;

  const query = async (url: string, sql: string): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };

  test('an enrolled worker does what a worker does', async () => {
    const { store: own, queue: ownQueue, workerId, deviceKey } = await enrol('Able');
    await own.ping();
    await own.workers.heartbeat(workerId, 'running');
    expect((await store.workers.list()).find(({ id }) => id === workerId)?.state).toBe('running');

    // The starter suite waits already.
    let take: (runId: string) => void = () => undefined;
    const taken = new Promise<string>((resolve) => {
      take = resolve;
    });
    const consumer = await ownQueue.consume(deviceKey, async (job) => take(job.runId));
    const runId = await taken;
    await consumer.close();
    expect(await ownQueue.depth(deviceKey)).toBeGreaterThan(0);
    expect(await own.runs.claim(runId, workerId)).not.toBeNull();
    expect(await own.runs.record(recorded(runId, workerId, measured(1e6), 'Able'))).toEqual({
      recorded: true,
    });

    const { id, runIds } = await sweepOf(store, [planned(deviceKey), planned(deviceKey)]);
    const [given = '', dropped = ''] = runIds;
    await own.runs.claim(given, workerId);
    await own.runs.release(given, workerId);
    expect((await own.runs.claim(given, workerId))?.attempt).toBe(1);
    await own.runs.claim(dropped, workerId);
    await store.sweeps.cancel(id);
    await own.runs.release(dropped, workerId);
    expect((await store.sweeps.get(id))?.counts.total).toBe(1);

    const [kept = ''] = (await sweepOf(store, [planned(deviceKey)])).runIds;
    await own.runs.claim(kept, workerId);
    await own.runs.record(recorded(kept, workerId, measured(1e6), 'Able'));
    expect((await store.devices.best(deviceKey)).map((best) => best.runId)).toContain(kept);

    const survey = { copies: [], lastLevelCacheBytes: null, peaks: [] };
    await own.rooflines.record({ deviceKey, profile: 'default', workerId, survey });
    expect(await own.rooflines.latest(deviceKey)).toHaveLength(1);
    await own.workers.detach(workerId);
  });

  test('a result that was waiting in its journal while it was lost is taken', async () => {
    const { store: own, workerId, deviceKey } = await enrol('Late');
    const [runId = ''] = (await sweepOf(store, [planned(deviceKey)])).runIds;
    await own.runs.claim(runId, workerId);
    await query(databaseUrl, `UPDATE "Worker" SET "lastHeartbeatAt" = now() - interval '1 hour'`);
    expect((await store.runs.reclaim()).reclaimed).toBe(1);
    const late = recorded(runId, workerId, measured(1e6), 'Late');
    expect(await own.runs.record(late)).toEqual({ recorded: true });
  });

  test('it may not end a run that it does not hold', async () => {
    const { store: own, workerId, deviceKey } = await enrol('Holder');
    const other = await attach(store, 'Holder', 'other');
    const [held = '', waiting = ''] = (
      await sweepOf(store, [planned(deviceKey), planned(deviceKey)])
    ).runIds;
    await store.runs.claim(held, other.workerId);
    expect(await own.runs.claim(held, workerId)).toBeNull();
    const result = (runId: string, by: string) => recorded(runId, by, measured(1), 'Holder');
    expect(await own.runs.record(result(held, workerId))).toEqual({ recorded: false });
    expect(await own.runs.record(result(held, other.workerId))).toEqual({ recorded: false });
    const refused = own.runs.record(result(waiting, workerId));
    await expect(refused).rejects.toThrow(/row-level security/);
    // A fault of the caller, not an outage that would be waited for.
    await expect(refused).rejects.not.toBeInstanceOf(DatabaseUnavailable);
  });

  describe('beyond that', () => {
    let url: string;
    let ownRedisUrl: string | null;
    let mine: { workerId: string; deviceKey: string };
    let theirs: { workerId: string; deviceKey: string };
    let theirRun: string;
    let endedRun: string;
    let resultId: string;

    beforeAll(async () => {
      const other = await enrol('Theirs');
      theirs = other;
      [theirRun = ''] = (await sweepOf(store, [planned(other.deviceKey)])).runIds;
      await other.store.runs.claim(theirRun, other.workerId);
      const me = await enrol('Mine');
      mine = me;
      url = me.databaseUrl;
      ownRedisUrl = me.redisUrl;
      [endedRun = ''] = (await sweepOf(store, [planned(me.deviceKey)])).runIds;
      await me.store.runs.claim(endedRun, me.workerId);
      await me.store.runs.record(recorded(endedRun, me.workerId, measured(1e6), 'Mine'));
      resultId = String((await query(url, 'SELECT "id" FROM "Result"'))[0]?.id);
    });

    test.each([
      'SELECT * FROM "Token"',
      `INSERT INTO "Token" ("id", "name", "role", "hash") VALUES ('x', 'x', 'admin', 'x')`,
      `UPDATE "Token" SET "role" = 'admin'`,
      'DELETE FROM "Token"',
      'SELECT * FROM "Enrolment"',
      'SELECT * FROM "Audit"',
      'SELECT "instance" FROM "Worker"',
      'SELECT "spec" FROM "Sweep"',
      'UPDATE "Worker" SET "deviceKey" = \'x\'',
      'UPDATE "Run" SET "kernel" = \'matmul/naive\'',
      'INSERT INTO "Sweep" ("id") VALUES (\'x\')',
      'INSERT INTO "Worker" ("id") VALUES (\'x\')',
      'DELETE FROM "Result"',
      'DELETE FROM "Best"',
      'UPDATE "Result" SET "unranked" = NULL',
      `INSERT INTO "Environment" ("hash", "content") VALUES ('x', '{}')`,
      `INSERT INTO "KernelSource" ("hash", "wgsl") VALUES ('x', 'y')`,
      `COPY (SELECT 1) TO PROGRAM 'true'`,
      'CREATE TEMP TABLE mine (line text)',
      'SELECT lo_creat(-1)',
      'SELECT lo_create(0)',
      "SELECT lo_from_bytea(0, 'x')",
      `SELECT pg_read_file('/etc/hostname')`,
      'CREATE TABLE mine (id int)',
      'CREATE FUNCTION public.own_device_key2() RETURNS int LANGUAGE sql RETURN 1',
      'SELECT * FROM pg_authid',
      'ALTER ROLE CURRENT_USER SUPERUSER',
      'CREATE ROLE mine',
      'SET ROLE postgres',
      'SET SESSION AUTHORIZATION postgres',
    ])('%s is refused', async (sql) => {
      await expect(query(url, sql)).rejects.toMatchObject({ code: '42501' });
    });

    test.each([
      // A number that no transaction has had would be news to kept answers at every look.
      ['transaction', '18446744073709551615'],
      ['recordedAt', 'infinity'],
      ['importedBy', 'me'],
    ])('a result of its own may not say its "%s"', async (column, value) => {
      const sql = `INSERT INTO "Result" ("id", "${column}") VALUES ('x', '${value}')`;
      await expect(query(url, sql)).rejects.toThrow('permission denied for table Result');
    });

    test('what it may not do is told as that, not as an outage to be waited for', async () => {
      const own = openStore(url);
      opened.push(own);
      const refused = own.tokens.list();
      await expect(refused).rejects.toThrow(/permission denied|denied access/);
      await expect(refused).rejects.not.toBeInstanceOf(DatabaseUnavailable);
    });

    test.each(['Token', 'Worker', 'Run', 'Result', 'Device'])('DROP TABLE "%s"', async (table) => {
      await expect(query(url, `DROP TABLE "${table}"`)).rejects.toThrow(/must be owner/);
      await expect(query(url, `TRUNCATE "${table}"`)).rejects.toThrow(/permission denied/);
    });

    test('rows of another worker and device are not seen, changed or deleted', async () => {
      for (const table of ['Device', 'Run', 'Worker', 'Best', 'VariantBest']) {
        const key = table === 'Device' ? 'key' : 'deviceKey';
        const rows = await query(url, `SELECT DISTINCT "${key}" AS key FROM "${table}"`);
        expect(rows, table).toEqual([{ key: mine.deviceKey }]);
      }
      const changed = async (sql: string) => (await query(url, `${sql} RETURNING 1`)).length;
      const theirRow = `WHERE "id" = '${theirs.workerId}'`;
      expect(await changed(`UPDATE "Worker" SET "state" = 'draining' ${theirRow}`)).toBe(0);
      expect(await changed(`UPDATE "Worker" SET "detachedAt" = now()`)).toBe(1);
      expect(await changed(`UPDATE "Run" SET "state" = 'pending' WHERE "id" = '${theirRun}'`)).toBe(
        0,
      );
      // What has ended stays as it ended.
      expect(await changed(`UPDATE "Run" SET "state" = 'pending' WHERE "id" = '${endedRun}'`)).toBe(
        0,
      );
      expect(await changed('DELETE FROM "Run"')).toBe(0);
    });

    test.each([
      [
        'a run for another worker',
        () => `UPDATE "Run" SET "workerId" = '${theirs.workerId}' WHERE "state" = 'pending'`,
      ],
      [
        'a result of another worker',
        () =>
          `INSERT INTO "Result" ("id", "runId", "workerId", "environmentHash", "outcome", "endedAt")
         VALUES ('x', '${theirRun}', '${theirs.workerId}', 'x', '{}', now())`,
      ],
      [
        'a result of a run that is not its own',
        () =>
          `INSERT INTO "Result" ("id", "runId", "workerId", "environmentHash", "outcome", "endedAt")
         VALUES ('x', '${theirRun}', '${mine.workerId}', 'x', '{}', now())`,
      ],
      [
        'a roofline of another device',
        () =>
          `INSERT INTO "Roofline" ("id", "deviceKey", "profile", "workerId", "content")
         VALUES ('x', '${theirs.deviceKey}', 'default', '${mine.workerId}', '{}')`,
      ],
      [
        'the best of another device',
        () =>
          `INSERT INTO "Best" ("deviceKey", "op", "dtype", "shape", "profile", "resultId", "medianNs",
           "lowNs", "highNs", "measuredAt")
         VALUES ('${theirs.deviceKey}', 'matmul', 'f32', '9', 'default', '${resultId}', 1e6, 1, 1,
           now())`,
      ],
      ['a best that no result has', () => `UPDATE "Best" SET "medianNs" = 1`],
    ])('%s is refused', async (_what, sql) => {
      await expect(query(url, sql())).rejects.toThrow(/row-level security/);
    });

    test('the queue of another device is out of reach', async () => {
      const own = openQueue({ databaseUrl: url, redisUrl: ownRedisUrl, prefix });
      opened.push(own);
      expect(await own.depth(mine.deviceKey)).toBeGreaterThan(0);
      if (kind === 'Redis') {
        await expect(own.depth(theirs.deviceKey)).rejects.toThrow(/NOPERM/);
        await expect(
          own.enqueue([{ id: randomUUID(), deviceKey: theirs.deviceKey }]),
        ).rejects.toThrow(/NOPERM/);
      } else {
        expect(await queue.depth(theirs.deviceKey)).toBeGreaterThan(0);
        expect(await own.depth(theirs.deviceKey)).toBe(0);
        const jobs = await query(url, 'SELECT DISTINCT queue FROM bullmq.job');
        expect(jobs).toEqual([{ queue: `runs.${mine.deviceKey}` }]);
        await expect(query(url, 'UPDATE bullmq.migration SET version = 0')).rejects.toThrow(
          /permission denied/,
        );
        await expect(
          query(url, 'CREATE FUNCTION bullmq.mine() RETURNS int LANGUAGE sql RETURN 1'),
        ).rejects.toThrow(/permission denied/);
      }
    });

    test.each(kind === 'Redis' ? REFUSED_BY_REDIS : [])(
      'Redis refuses %s %s',
      async (...command) => {
        const client = new Redis(ownRedisUrl ?? '', { maxRetriesPerRequest: 0 });
        const [name = '', ...args] = command.map((part) =>
          part === 'THEIRS' ? `${prefix}:runs.${theirs.deviceKey}:wait` : part,
        );
        try {
          await expect(client.call(name, ...args)).rejects.toThrow(
            /NOPERM|DEBUG command not allowed|user executing the script can't/,
          );
        } finally {
          client.disconnect();
        }
      },
    );
  });

  test('no password is kept in clear, and Postgres is never sent one', async () => {
    const { databaseUrl: url, redisUrl: ownRedisUrl } = await enrol('Secret');
    const secrets = [url, ownRedisUrl].flatMap((each) => (each ? [new URL(each).password] : []));
    const rows = await query(databaseUrl, 'SELECT * FROM "Enrolment"');
    const roles = await query(databaseUrl, 'SELECT rolname, rolpassword FROM pg_authid');
    for (const secret of secrets) {
      expect(secret).toHaveLength(43);
      expect(JSON.stringify([rows, roles])).not.toContain(secret);
    }
  });

  test('enrolling again takes over the row and ends the passwords before', async () => {
    const instance = randomUUID();
    const first = await enrol('Again', { instance });
    await first.store.ping();
    await first.queue.ping();
    const [runId = ''] = (await sweepOf(store, [planned(first.deviceKey)])).runIds;
    await first.store.runs.claim(runId, first.workerId);

    const second = await enrol('Again', { instance });
    expect(second.workerId).toBe(first.workerId);
    const rows = (await store.workers.list()).filter(({ device }) => device.name === 'Again');
    expect(rows).toHaveLength(1);
    await expect(first.store.ping()).rejects.toThrow(DatabaseUnavailable);
    if (kind === 'Redis') await expect(first.queue.ping()).rejects.toThrow(QueueUnavailable);
    await second.queue.ping();
    // What it held in its last life waits, and a result of that life is still taken.
    const result = recorded(runId, second.workerId, measured(1e6), 'Again');
    expect(await second.store.runs.record(result)).toEqual({ recorded: true });
  });

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

  test('a token that was revoked while a worker enrolled makes it no accounts', async () => {
    const token = await newToken();
    const { workerId } = await enrol('Late', {}, token);
    await store.tokens.revoke(token);
    await reconcileAccess({ store, queue });
    expect(await store.enrolments.grant({ workerId, tokenId: token })).toBeNull();
    expect(await store.enrolments.current()).not.toContain(workerId);
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

  test('a worker cannot keep others from enrolling by a lock', async () => {
    const { databaseUrl: url } = await enrol('Greedy');
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`SELECT pg_advisory_lock(${0x72_6f_6c_65})`);
    await expect(client.query('BEGIN; LOCK TABLE "Enrolment"')).rejects.toThrow(
      /permission denied/,
    );
    await enrol('Next');
    await client.end();
  });

  test('access ends with the token, and comes back where Redis forgot it', async () => {
    const token = await store.tokens.create({ name: 'x', role: 'worker', expiresAt: null });
    const worker = await enrol('Token', {}, token.id);
    if (kind === 'Redis') {
      const admin = new Redis(redisUrl ?? '');
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

  test('the role of a token that expires lets nobody in after it', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000);
    const token = await store.tokens.create({ name: 'x', role: 'worker', expiresAt });
    const { databaseUrl: url } = await enrol('Expiring', {}, token.id);
    const [role] = await query(
      databaseUrl,
      `SELECT rolvaliduntil FROM pg_roles WHERE rolname = '${new URL(url).username}'`,
    );
    expect(role?.rolvaliduntil).toEqual(expiresAt);
  });

  test('a database user that may not make roles is told what to grant', async () => {
    const role = `plain_${randomUUID().replaceAll('-', '')}`;
    const name = new URL(databaseUrl).pathname.slice(1);
    await query(
      databaseUrl,
      `CREATE ROLE ${role} LOGIN PASSWORD 'x'; GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role};
       GRANT ALL ON DATABASE ${name} TO ${role}`,
    );
    const url = Object.assign(new URL(databaseUrl), { username: role, password: 'x' }).href;
    const plain = openStore(url);
    opened.push(plain);
    const { workerId } = await attach(store, 'Plain');
    await expect(plain.enrolments.grant({ workerId, tokenId })).rejects.toThrow(
      `ALTER ROLE "${role}" CREATEROLE`,
    );
  });

  test('a worker of the grid itself is not enrolled, so it cannot be revoked while it lives', async () => {
    const { workerId } = await attach(store, 'Local');
    expect(await store.workers.revoke(workerId)).toBe('not enrolled');
    await reconcile({ store, queue });
    const db = createClient(databaseUrl);
    await db.worker.update({ where: { id: workerId }, data: { lastHeartbeatAt: new Date(0) } });
    await db.$disconnect();
    expect(await store.workers.revoke(workerId)).toBe('revoked');
  });
});
