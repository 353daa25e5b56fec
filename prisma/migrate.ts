import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

/**
 * Brings a database to the schema of this version. The migrations are plain SQL in Prisma's
 * folder layout, recorded in Prisma's own table `_prisma_migrations` with Prisma's checksums, so
 * that `prisma migrate deploy` and this runner can take turns on one database.
 */

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('migrations', import.meta.url));

/** The database cannot be brought to this version's schema. Nothing was changed. */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused';
}

interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** Postgres's codes for a lock timeout, and for a table that somebody else created at the same moment. */
const LOCK_NOT_AVAILABLE = '55P03';
const UNIQUE_VIOLATION = '23505';

/**
 * Applies the migrations that a database lacks, each in a transaction of its own: one that fails
 * leaves nothing behind. Safe to call from several processes at once.
 *
 * @param url `postgres://...` of an existing database
 * @returns names of the migrations applied by this call
 * @throws MigrationRefused when the database is of a newer version, of one before the first migration, or not Tilemark's, or a
 * migration fails, failed earlier or was edited since
 */
export async function migrate(url: string, folder = MIGRATIONS_FOLDER): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const migrations = await Promise.all(
    names.sort().map(async (name): Promise<Migration> => {
      return { name, sql: await readFile(join(folder, name, 'migration.sql'), 'utf8') };
    }),
  );
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    await prepare(client);
    const applied: string[] = [];
    for (;;) {
      const name = await applyNext(client, migrations);
      if (name === null) return applied;
      applied.push(name);
    }
  } finally {
    // Ending the session releases every lock.
    await client.end();
  }
}

/** Waits for a running `prisma migrate`, and creates its table if it is missing. */
async function prepare(client: pg.Client): Promise<void> {
  const unless = (code: string) => (error: pg.DatabaseError) => {
    if (error.code !== code) throw error;
  };
  // Prisma's own lock. Any user of the database, restricted workers included, can take it and
  // keep it, so the wait is limited: what counts is the lock of applyNext, which requires write access.
  await client.query("SET lock_timeout = '10s'");
  await client.query('SELECT pg_advisory_lock(72707369)').catch(unless(LOCK_NOT_AVAILABLE));
  await client.query('SET lock_timeout = 0');
  const { rows } = await client.query(`SELECT tablename FROM pg_tables
    WHERE schemaname = current_schema() AND to_regclass('_prisma_migrations') IS NULL LIMIT 1`);
  if (rows.length > 0) {
    throw new MigrationRefused(
      `The database contains tables of another program (${rows[0].tablename}): use an empty database.`,
    );
  }
  const table = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
    migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
    started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`;
  await client.query(table).catch(unless(UNIQUE_VIOLATION));
}

/** Applies the oldest migration that is missing; null when none is. */
async function applyNext(
  client: pg.Client,
  migrations: readonly Migration[],
): Promise<string | null> {
  await client.query('BEGIN; LOCK TABLE _prisma_migrations IN SHARE ROW EXCLUSIVE MODE');
  try {
    const done = await readHistory(client, migrations);
    const next = migrations.find(({ name }) => !done.has(name));
    if (next) {
      await client.query(next.sql).catch((error: Error) => {
        throw new MigrationRefused(`Migration ${next.name} failed (${error.message}).`);
      });
      await client.query(
        `INSERT INTO _prisma_migrations
           (id, checksum, migration_name, finished_at, applied_steps_count)
         VALUES ($1, $2, $3, clock_timestamp(), 1)`,
        [randomUUID(), checksum(next.sql), next.name],
      );
    }
    await client.query('COMMIT');
    return next?.name ?? null;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Names of the migrations that a database has. Refuses a history that `migrations` do not continue. */
async function readHistory(
  client: pg.Client,
  migrations: readonly Migration[],
): Promise<ReadonlySet<string>> {
  const ours = new Map(migrations.map(({ name, sql }) => [name, sql]));
  const { rows } = await client.query<{ name: string; checksum: string; finished: boolean }>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
     FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
  );
  const [first] = migrations;
  for (const { name, checksum: applied, finished } of rows) {
    if (first && name < first.name) {
      throw new MigrationRefused(
        `The database is of a version before ${first.name}, which this version does not read: start with a new database (--data NEWDIR, or another DATABASE_URL), or keep the older version for this one.`,
      );
    }
    const sql = ours.get(name);
    const fault =
      sql === undefined
        ? 'is of a newer version: update Tilemark, or use another database'
        : !finished
          ? 'failed on this database earlier: restore a backup, or use another database'
          : !isSame(sql, applied) && 'was changed after it was applied: restore the committed file';
    if (fault) throw new MigrationRefused(`Migration ${name} ${fault}.`);
  }
  return new Set(rows.map(({ name }) => name));
}

const checksum = (sql: string): string => createHash('sha256').update(sql).digest('hex');

/** Line ends may differ between the checkouts that migrated; Prisma allows for that too. */
function isSame(sql: string, applied: string): boolean {
  const unix = sql.replaceAll('\r\n', '\n');
  return [unix, unix.replaceAll('\n', '\r\n')].some((text) => checksum(text) === applied);
}
