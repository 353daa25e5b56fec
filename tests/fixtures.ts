import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base } from '@playwright/test';
import pg from 'pg';
import { startPostgres } from '../scripts/services/postgres';
import { startRedis } from '../scripts/services/redis';
import { type Example, startExample } from './example';
import { emptyDataFolder, type Grid, startGrid } from './grid';

/**
 * What the files of one Playwright worker share: a Postgres, a Redis, and an example grid on them.
 * Files that would change what others read make a grid of their own on the same services.
 */
interface Shared {
  readonly example: Example;
  readonly makeGrid: MakeGrid;
}

/** Starts a grid with a database, a queue and a data folder of its own, which `stop` removes. */
export type MakeGrid = (
  flags?: readonly string[],
  env?: Readonly<Record<string, string>>,
) => Promise<Grid>;

/** Redis has this many databases. */
const REDIS_DATABASES = 16;

export const test = base.extend<object, Shared>({
  makeGrid: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern what is used
    async ({}, use) => {
      const dataDir = await mkdtemp(join(tmpdir(), 'tilemark-browser-tests-'));
      const [postgres, redis] = await Promise.all([
        startPostgres({
          dataDir: join(dataDir, 'postgres'),
          // Nothing here outlives the run, so nothing has to reach the disk.
          settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
        }),
        startRedis({ dataDir: join(dataDir, 'redis') }),
      ]);
      let made = 0;
      await use(async (flags = ['--no-worker'], env = {}) => {
        const folder = await emptyDataFolder();
        const services = {
          DATABASE_URL: await newDatabase(postgres.url),
          REDIS_URL: redis ? `${redis.url}/${made++ % REDIS_DATABASES}` : '',
        };
        const grid = await startGrid(folder.dataDir, flags, { ...services, ...env });
        const stop = async () => {
          const code = await grid.stop('SIGINT');
          await folder.remove();
          return code;
        };
        return { ...grid, stop };
      });
      await Promise.all([postgres.stop(), redis?.stop()]);
      await rm(dataDir, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  example: [
    async ({ makeGrid }, use) => {
      const example = await startExample(await makeGrid());
      await use(example);
      await example.grid.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});

async function newDatabase(server: string): Promise<string> {
  const name = `grid_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name}`);
  } finally {
    await client.end();
  }
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
