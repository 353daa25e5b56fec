import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { beforeAll, describe, expect, test } from 'vitest';
import { DatabaseUnavailable } from './errors';
import type { Queue } from './queue';
import type { Store } from './store';
import { attach, measured, planned, recorded, sweepOf } from './store/test-fixtures';
import { describeEnrolment, type EnrolmentLab, query } from './test-enrolment';

/** What an enrolled worker may do, and that the rest is refused: store/worker-role.ts, queue/accounts.ts. */

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

describeEnrolment((lab, kind) => {
  let databaseUrl: string;
  let store: Store;
  let queue: Queue;
  beforeAll(() => {
    ({ databaseUrl, store, queue } = lab());
  });
  const enrol: EnrolmentLab['enrol'] = (...args) => lab().enrol(...args);

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
      const own = lab().open(url);
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
      const own = lab().openQueue({ databaseUrl: url, redisUrl: ownRedisUrl });
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
          part === 'THEIRS' ? `${lab().prefix}:runs.${theirs.deviceKey}:wait` : part,
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
});
