import { join } from 'node:path';
import { openQueue, openStore } from '@tilemark/core/server';
import { givenDatabaseUrl, givenRedisUrl } from '../environment';
import { startPostgres } from '../services/postgres';
import { startRedis } from '../services/redis';
import type { Supervisor } from './supervisor';
import { step } from './terminal';

/** Where the grid's parts find their services; `redisUrl` null: the queue is in Postgres. */
export interface ServiceUrls {
  readonly databaseUrl: string;
  readonly redisUrl: string | null;
}

/** Uses the services that the environment specifies, and starts the others, on loopback. */
export async function startServices(dataDir: string, supervisor: Supervisor): Promise<ServiceUrls> {
  const databaseUrl =
    givenDatabaseUrl() ||
    (await step('Start Postgres (embedded)', async () => {
      const postgres = await startPostgres({ dataDir: join(dataDir, 'postgres') });
      supervisor.keep('Postgres', postgres, () =>
        startPostgres({ dataDir: join(dataDir, 'postgres'), port: postgres.port }),
      );
      return postgres.url;
    }));
  const redisUrl =
    givenRedisUrl() ||
    (await step('Start the queue', async () => {
      const redis = await startRedis({ dataDir: join(dataDir, 'redis') });
      if (!redis) return null;
      const again = async () => {
        const restarted = await startRedis({
          ...{ dataDir: join(dataDir, 'redis'), port: redis.port },
        });
        if (!restarted) throw new Error('redis-server is no longer on PATH');
        return restarted;
      };
      supervisor.keep('Redis', redis, again);
      return redis.url;
    }));
  return { databaseUrl, redisUrl };
}

/** Throws ServiceUnavailable or ServiceUnavailable, saying where and what to do. */
export async function requireServices(databaseUrl: string, redisUrl: string | null): Promise<void> {
  const store = openStore(databaseUrl);
  const queue = openQueue({ databaseUrl, redisUrl });
  try {
    await store.ping();
    await queue.ping();
  } finally {
    await store.close();
    await queue.close();
  }
}
