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
import { type Backend, JOB_OPTIONS, type JobData, type JobQueue, type OnError } from './backend';

/** BullMQ's tables live in a schema of their own, which it migrates itself. */
const SCHEMA = 'bullmq';
/** Devices served at once over one backend; Postgres itself takes a hundred connections by default. */
const MOST_DEVICES = 80;
const { Queue, Worker } = withBackend(createPostgresBackend);

/** Jobs in the product's own database: for machines without Redis. */
export function postgresBackend(url: string, onError: OnError): Backend {
  const place = { kind: 'queue', at: placeOf(url), variable: 'DATABASE_URL' } as const;
  const openPool = (max: number): pg.Pool => {
    const opened = new pg.Pool({
      connectionString: url,
      options: `-c search_path=${SCHEMA}`,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      max,
    });
    opened.on('error', onError);
    return opened;
  };
  const pool = openPool(10);
  // BullMQ keeps a connection for each queue that is fetched from: it hears of new jobs there.
  const fetching = openPool(MOST_DEVICES);
  // The pool is what BullMQ asks for; @types/pg only declares the overloads of `on` differently.
  const connectionOf = (pool: pg.Pool) => pool as unknown as PgPool;

  let migrated: Promise<void> | null = null;
  const migrate = async (): Promise<void> => {
    const client = await pool.connect();
    try {
      await assertSchemaCompatibility(client, SCHEMA);
    } catch (error) {
      if (!(error instanceof SchemaMigrationRequiredError)) throw error;
      await runMigrations(client, SCHEMA);
    } finally {
      client.release();
    }
  };

  const connected = async (): Promise<void> => {
    migrated ??= migrate();
    await migrated.catch((error: unknown) => {
      migrated = null;
      throw error;
    });
  };

  return {
    kind: 'postgres',
    place,
    connected,
    ping: async () => {
      await connected();
      await pool.query('SELECT 1');
    },
    openQueue: (name) => {
      const queue = new Queue<JobData>(name, {
        connection: connectionOf(pool),
        defaultJobOptions: JOB_OPTIONS,
      });
      queue.on('error', onError);
      // BullMQ types it apart, but it is one class.
      return queue as unknown as JobQueue;
    },
    openWorker: (name, options) => {
      const worker = new Worker<JobData>(name, null, {
        ...options,
        connection: connectionOf(fetching),
      });
      worker.on('error', onError);
      return worker;
    },
    close: async () => {
      await Promise.all([pool.end(), fetching.end()]);
    },
  };
}
