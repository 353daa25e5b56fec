import { join } from 'node:path';
import { openQueue, openStore } from '@tilemark/core/server';
import { startPostgres } from '../services/postgres';
import { startRedis } from '../services/redis';
import { step } from './steps';
import type { Supervisor } from './supervisor';

/** Where the grid's parts find their services; `redisUrl` null: the queue is kept in Postgres. */
export interface ServiceUrls {
  readonly databaseUrl: string;
  readonly redisUrl: string | null;
}

/**
 * Uses the services the environment names, and starts what it does not name.
 *
 * @param host where enrolled workers elsewhere reach what is started; absent: nowhere
 */
export async function startServices(
  dataDir: string,
  supervisor: Supervisor,
  host?: string,
): Promise<ServiceUrls> {
  const databaseUrl =
    process.env.DATABASE_URL ||
    (await step('Start Postgres (embedded)', async () => {
      const postgres = await startPostgres({ dataDir: join(dataDir, 'postgres'), host });
      supervisor.keep('Postgres', postgres, () =>
        startPostgres({ dataDir: join(dataDir, 'postgres'), host, port: postgres.port }),
      );
      return postgres.url;
    }));
  const redisUrl =
    process.env.REDIS_URL ||
    (await step('Start the queue', async () => {
      const redis = await startRedis({ dataDir: join(dataDir, 'redis'), host });
      if (!redis) return null;
      const again = async () => {
        const restarted = await startRedis({
          ...{ dataDir: join(dataDir, 'redis'), host, port: redis.port },
        });
        if (!restarted) throw new Error('redis-server is no longer on PATH');
        return restarted;
      };
      supervisor.keep('Redis', redis, again);
      return redis.url;
    }));
  return { databaseUrl, redisUrl };
}

/** Throws DatabaseUnavailable or QueueUnavailable, saying where and what to do. */
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
