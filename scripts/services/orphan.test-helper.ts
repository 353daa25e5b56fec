import { startPostgres } from './postgres';
import { startRedis } from './redis';

/** Starts both services in a separate process, for tests that kill it. */
const [dataDir = ''] = process.argv.slice(2);
const postgres = await startPostgres({ dataDir: `${dataDir}/postgres` });
const redis = await startRedis({ dataDir: `${dataDir}/redis` });
process.stdout.write(JSON.stringify({ postgres: postgres.url, redis: redis?.url ?? null }));
await new Promise(() => undefined);
