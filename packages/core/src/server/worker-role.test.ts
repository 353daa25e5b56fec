import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testDatabase, testRedisUrl } from '../../test-services';
import { backfill } from './backfill';
import { openQueue } from './queue/open-queue';
import { reconcile } from './reconcile';
import type { Store } from './store';
import { openStore } from './store/open-store';
import { attach, measured, planned, recorded, sweepOf } from './store/test-fixtures';
import type { SweepServices } from './submit';

const ROLE_SQL = new URL('../../../../prisma/worker-role.sql', import.meta.url);

let url: string;
let ownUrl: string;
let grid: Store;
beforeAll(async () => {
  ownUrl = await testDatabase();
  grid = openStore(ownUrl);
  // As a site does that keeps the queue in Postgres.
  const queue = openQueue({ databaseUrl: ownUrl });
  await queue.ping();
  await queue.close();
  const password = randomUUID();
  await query(ownUrl, await readFile(ROLE_SQL, 'utf8'));
  await query(ownUrl, `ALTER ROLE tilemark_worker PASSWORD '${password}'`);
  url = Object.assign(new URL(ownUrl), { username: 'tilemark_worker', password }).href;
});
afterAll(() => grid.close());

async function query(at: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: at });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

describe.each([
  ['Postgres', null],
  ['Redis', testRedisUrl()],
] as const)('with the queue in %s', (kind, redisUrl) => {
  test.skipIf(kind === 'Redis' && redisUrl === null)('it can do what a worker does', async () => {
    const prefix = `test-${randomUUID()}`;
    const store = openStore(url);
    const queue = openQueue({ databaseUrl: url, redisUrl, prefix });
    const siteQueue = openQueue({ databaseUrl: ownUrl, redisUrl, prefix });
    try {
      await work({ store, queue }, { store: grid, queue: siteQueue }, kind);
    } finally {
      await siteQueue.close();
      await queue.close();
      await store.close();
    }
  });
});

async function work(
  { store, queue }: SweepServices,
  site: SweepServices,
  device: string,
): Promise<void> {
  await store.ping();
  const { deviceKey, workerId } = await attach(store, device);
  await attach(store, device);
  await store.workers.heartbeat(workerId, 'running');
  expect(await backfill({ store, queue }, deviceKey)).not.toBeNull();
  // The first job of a queue in Postgres is the site's to add: only its role may make the queue.
  await reconcile(site);
  let take: (runId: string) => void = () => undefined;
  const taken = new Promise<string>((resolve) => {
    take = resolve;
  });
  const consumer = await queue.consume(deviceKey, async (job) => take(job.runId));
  const runId = await taken;
  await consumer.close();
  expect(await store.runs.claim(runId, workerId)).not.toBeNull();
  expect(await store.runs.record(recorded(runId, workerId, measured(1e6)))).toEqual({
    recorded: true,
  });

  const cancelled = await sweepOf(grid, [planned(deviceKey)]);
  const [given = ''] = cancelled.runIds;
  await store.runs.claim(given, workerId);
  await grid.sweeps.cancel(cancelled.id);
  await store.runs.release(given, workerId);
  expect((await grid.sweeps.get(cancelled.id))?.counts.total).toBe(0);

  await store.rooflines.record({
    deviceKey,
    profile: 'default',
    workerId,
    survey: { copies: [], lastLevelCacheBytes: null, peaks: [] },
  });
  expect(await store.rooflines.latest(deviceKey)).toHaveLength(1);
  await store.workers.detach(workerId);
}

test.each([
  'CREATE FUNCTION bullmq.add_jobs_bulk(text, text) RETURNS int LANGUAGE sql RETURN 1',
  'SELECT * FROM "Token"',
  `INSERT INTO "Token" ("id", "name", "role", "hash") VALUES ('x', 'x', 'admin', 'x')`,
  `UPDATE "Token" SET "role" = 'admin'`,
  'DELETE FROM "Token"',
  'DELETE FROM "Result"',
  `UPDATE "Result" SET "unranked" = NULL`,
  `COPY (SELECT 1) TO PROGRAM 'true'`,
  `CREATE TEMP TABLE out (line text); COPY out FROM PROGRAM 'id'`,
  `SELECT pg_read_file('/etc/hostname')`,
  'CREATE TABLE mine (id int)',
  `UPDATE bullmq.migration SET version = 0`,
  'SELECT * FROM pg_authid',
  'ALTER ROLE tilemark_worker SUPERUSER',
])('%s is refused', async (sql) => {
  await expect(query(url, sql)).rejects.toMatchObject({ code: '42501' });
});

test('running the file again changes nothing', async () => {
  await query(ownUrl, await readFile(ROLE_SQL, 'utf8'));
  await expect(query(url, 'SELECT * FROM "Token"')).rejects.toThrow(/permission denied/);
});
