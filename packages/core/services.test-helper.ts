import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export interface TestServices {
  /** A migrated database to copy; nobody connects to it. */
  readonly templateUrl: string;
  /** Null where no Redis is installed: tests of the Redis queue are skipped. */
  readonly redisUrl: string | null;
}

declare module 'vitest' {
  interface ProvidedContext {
    services: TestServices;
  }
}

/** Helpers for tests against the services that setup.test-helper.ts started. */

/** Null where no Redis is installed. */
export const testRedisUrl = (): string | null => inject('services').redisUrl;

/** A migrated, empty database of the caller's own. */
export const testDatabase = (): Promise<string> =>
  createDatabase(new URL(inject('services').templateUrl).pathname.slice(1));

/** A database without a table. */
export const emptyDatabase = (): Promise<string> => createDatabase('template0');

async function createDatabase(template: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await administer(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  return urlOf(name);
}

/** Ends every connection to a database and refuses new ones, as an outage does. */
export async function takeDown(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await administer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await administer(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
  );
}

export const bringUp = (url: string): Promise<void> =>
  administer(`ALTER DATABASE ${new URL(url).pathname.slice(1)} ALLOW_CONNECTIONS true`);

function urlOf(database: string): string {
  const url = new URL(inject('services').templateUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** Rows of every table of a database, by its name. */
export const countRows = (url: string): Promise<Record<string, number>> =>
  ofTables(url, 'count(*)::int');

/** A digest of every table's rows, by its name; columns that are left out may differ. */
export const contentOf = (
  url: string,
  without: readonly string[],
): Promise<Record<string, string>> =>
  ofTables(url, `coalesce(md5(string_agg(row::text, '' ORDER BY row::text)), '')`, without);

/** Every row of each table, but its transaction, which is of this server. */
export const rowsOf = (url: string): Promise<Record<string, Record<string, unknown>[]>> =>
  ofTables(url, `coalesce(jsonb_agg(row), '[]')`, ['transaction']);

/** An aggregate over the rows of each table. */
async function ofTables<T>(
  url: string,
  aggregate: string,
  without: readonly string[] = [],
): Promise<Record<string, T>> {
  const { rows: tables } = await poolOf(url).query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  const columns = `'{${without.join(',')}}'::text[]`;
  const each = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, ${aggregate} AS value
       FROM (SELECT to_jsonb(t) - ${columns} AS row FROM "${name}" AS t) AS rows`,
  );
  const { rows } = await poolOf(url).query<{ name: string; value: T }>(each.join(' UNION ALL '));
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

const pools = new Map<string, pg.Pool>();

/** A connection that is kept for the next look: some tests look thousands of times. */
function poolOf(url: string): pg.Pool {
  const open = { connectionString: url, max: 1, idleTimeoutMillis: 1_000, allowExitOnIdle: true };
  // An outage, which some tests are about, ends what is idle; the next look connects again.
  const pool = pools.get(url) ?? new pg.Pool(open).on('error', () => {});
  pools.set(url, pool);
  return pool;
}

const administer = (sql: string): Promise<void> => execute(urlOf('postgres'), sql);

/** Runs SQL on a database, past the product. */
export async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
