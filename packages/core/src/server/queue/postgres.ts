import {
  assertSchemaCompatibility,
  createPostgresBackend,
  type PgPool,
  runMigrations,
  SchemaMigrationRequiredError,
  withBackend,
} from 'bullmq';
import pg from 'pg';
import { placeOf } from '../errors';
import type { RunJob } from '../queue';
import { type Backend, JOB_OPTIONS, type OnError } from './backend';

/** BullMQ's tables live in a schema of their own, which it migrates itself. */
const SCHEMA = 'bullmq';
const { Queue, Worker } = withBackend(createPostgresBackend);

/** Jobs in the product's own database: for machines without Redis. */
export function postgresBackend(url: string, onError: OnError): Backend {
  const place = { kind: 'queue', at: placeOf(url), variable: 'DATABASE_URL' } as const;
  const pool = new pg.Pool({
    connectionString: url,
    options: `-c search_path=${SCHEMA}`,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  pool.on('error', onError);
  // What BullMQ asks for; only the overloads of `on` are declared differently in @types/pg.
  const connection = pool as unknown as PgPool;

  let migrated: Promise<void> | null = null;
  const migrate = async (): Promise<void> => {
    const client = await pool.connect();
    try {
      // Asked first: a worker's role may use the schema and not make it.
      await assertSchemaCompatibility(client, SCHEMA);
    } catch (error) {
      if (!(error instanceof SchemaMigrationRequiredError)) throw error;
      await runMigrations(client, SCHEMA);
    } finally {
      client.release();
    }
  };

  return {
    kind: 'postgres',
    place,
    ping: async () => {
      migrated ??= migrate();
      await migrated.catch((error: unknown) => {
        migrated = null;
        throw error;
      });
      await pool.query('SELECT 1');
    },
    openQueue: (name) => {
      const queue = new Queue<RunJob>(name, { connection, defaultJobOptions: JOB_OPTIONS });
      queue.on('error', onError);
      return queue;
    },
    openWorker: (name, processor, options) => {
      const worker = new Worker<RunJob>(name, processor, { ...options, connection });
      worker.on('error', onError);
      return { worker, release: async () => undefined };
    },
    // The worker's role is its account here too; see store/worker-role.ts.
    admit: async () => undefined,
    expel: async () => undefined,
    close: () => pool.end(),
  };
}
