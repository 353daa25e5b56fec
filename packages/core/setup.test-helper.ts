import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@tilemark/db';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../../scripts/services/postgres';
import { startRedis } from '../../scripts/services/redis';
import type { TestServices } from './services.test-helper';

/** A real Postgres and a real Redis for one test run, in a folder that goes with it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tilemark-test-'));
  const [postgres, redis] = await Promise.all([
    startPostgres({
      dataDir: join(dataDir, 'postgres'),
      // Nothing here outlives the run, so nothing has to reach the disk.
      settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
    }),
    startRedis({ dataDir: join(dataDir, 'redis') }),
  ]);
  const stop = async () => {
    await Promise.all([postgres.stop(), redis?.stop()]);
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await migrate(postgres.url);
  } catch (error) {
    await stop();
    throw error;
  }
  const services: TestServices = { templateUrl: postgres.url, redisUrl: redis?.url ?? null };
  project.provide('services', services);
  return stop;
}
