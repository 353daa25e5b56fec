import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { emptyDatabase } from '../packages/core/services.test-helper';
import { MigrationRefused, migrate } from './index';
import { MIGRATIONS_FOLDER } from './migrate';

const PRISMA = import.meta.dirname;

/** A copy of the committed migrations that a test may change. */
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tilemark-migrations-'));
  await cp(MIGRATIONS_FOLDER, folder, { recursive: true });
});
afterEach(() => rm(folder, { recursive: true }));

async function addMigration(name: string, sql: string): Promise<void> {
  await mkdir(join(folder, name));
  await writeFile(join(folder, name, 'migration.sql'), sql);
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** The SQL that leads from one schema to another, by Prisma's own engine. */
async function schemaSql(from: string, to = join(PRISMA, 'schema.prisma')): Promise<string> {
  const tool = ['--experimental-wasm-modules', '--no-warnings', 'schema-sql.mjs'];
  const args = [...tool, await emptyDatabase(), from, to];
  return (await promisify(execFile)(process.execPath, args, { cwd: PRISMA })).stdout;
}

/** Columns, keys, indices and enumerations of a database, in words. */
async function shapeOf(url: string): Promise<string[]> {
  const { rows } = await (await connect(url)).query<{ it: string }>(`
    SELECT concat_ws(' ', table_name, column_name, udt_name, is_nullable, column_default) AS it
      FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'u', 'f')
    UNION ALL SELECT concat_ws(' ', enumtypid::regtype, enumlabel) FROM pg_enum`);
  return (
    rows
      .map(({ it }) => it)
      // schema.prisma has no words for an index of some rows.
      .filter((it) => !/_prisma_migrations|^CREATE INDEX .* WHERE /.test(it))
      .sort()
  );
}

test('the committed migrations lead to schema.prisma', async () => {
  const [migrated, made] = [await emptyDatabase(), await emptyDatabase()];
  await migrate(migrated);
  await (await connect(made)).query(await schemaSql('empty'));
  expect(await shapeOf(migrated)).toEqual(await shapeOf(made));
});

test('the SQL of a new migration is what schema.prisma gained', async () => {
  const schema = await readFile(join(PRISMA, 'schema.prisma'), 'utf8');
  const older = join(folder, 'schema.prisma');
  await writeFile(older, schema.replace(/^ +lastSeenAt +DateTime.*$/m, ''));
  expect(await schemaSql(older)).toMatch(/ADD COLUMN +"lastSeenAt"/);
  expect(await schemaSql(join(PRISMA, 'schema.prisma'))).toBe('');
});

test('a second run changes nothing', async () => {
  const url = await emptyDatabase();
  expect(await migrate(url)).not.toEqual([]);
  expect(await migrate(url)).toEqual([]);
});

test('writes the record that prisma migrate reads', async () => {
  const url = await emptyDatabase();
  const applied = await migrate(url);
  const { rows } = await (await connect(url)).query(
    'SELECT * FROM _prisma_migrations ORDER BY migration_name',
  );
  expect(rows.map((row) => row.migration_name)).toEqual(applied);
  for (const row of rows) {
    const sql = await readFile(join(MIGRATIONS_FOLDER, row.migration_name, 'migration.sql'));
    expect(row).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      checksum: createHash('sha256').update(sql).digest('hex'),
      migration_name: row.migration_name,
      started_at: expect.any(Date),
      finished_at: expect.any(Date),
      applied_steps_count: 1,
      logs: null,
      rolled_back_at: null,
    });
  }
});

test('migrators that start together do not clash', async () => {
  for (let round = 0; round < 5; round++) {
    const url = await emptyDatabase();
    const applied = await Promise.all(Array.from({ length: 6 }, () => migrate(url)));
    expect(applied.flat().sort()).toEqual(await migrations());
  }
});

const migrations = async () =>
  (await readdir(MIGRATIONS_FOLDER)).filter((name) => /^\d/.test(name)).sort();

test('waits for a prisma migrate at work', async () => {
  const url = await emptyDatabase();
  const other = await connect(url);
  await other.query('SELECT pg_advisory_lock(72707369)');
  let isDone = false;
  const migrating = migrate(url).then(() => {
    isDone = true;
  });
  await other.query('SELECT pg_sleep(0.5)');
  expect(isDone).toBe(false);
  await other.query('SELECT pg_advisory_unlock(72707369)');
  await migrating;
});

test('a role that may not change the schema cannot block migrators', async () => {
  const url = await emptyDatabase();
  await migrate(url);
  const role = `other_${new URL(url).pathname.slice(1)}`;
  const owner = await connect(url);
  await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD 'x'`);
  const other = await connect(Object.assign(new URL(url), { username: role, password: 'x' }).href);
  await other.query('SELECT pg_advisory_lock(72707369)');
  await expect(
    other.query('BEGIN; LOCK TABLE _prisma_migrations IN ACCESS SHARE MODE'),
  ).rejects.toThrow(/permission denied/);
  await addMigration('29990101000000_later', 'CREATE TABLE "Later" (id int)');
  const [first, second] = await Promise.all([migrate(url, folder), migrate(url, folder)]);
  expect([...first, ...second]).toEqual(['29990101000000_later']);
  await other.query('ROLLBACK');
  await owner.query(`DROP ROLE ${role}`);
});

test('refuses a database of a newer version and leaves it alone', async () => {
  const url = await emptyDatabase();
  await addMigration('29990101000000_later', 'CREATE TABLE "Later" (id int)');
  await migrate(url, folder);
  await expect(migrate(url)).rejects.toThrow(MigrationRefused);
  await expect(migrate(url)).rejects.toThrow(/29990101000000_later is of a newer version/);
});

test('refuses a database of an older version and leaves it alone', async () => {
  const url = await emptyDatabase();
  await migrate(url);
  const client = await connect(url);
  await client.query(`DELETE FROM _prisma_migrations WHERE migration_name > '20261129000000_init';
    UPDATE _prisma_migrations SET migration_name = '20261121000000_init'`);
  await expect(migrate(url)).rejects.toThrow(
    'The database is of a version before 20261129000000_init, which this version does not read: start with a new database (--data NEWDIR, or another DATABASE_URL), or keep the older version for this one.',
  );
  const { rows } = await client.query('SELECT migration_name FROM _prisma_migrations');
  expect(rows).toEqual([{ migration_name: '20261121000000_init' }]);
});

test('a migration that fails leaves nothing behind and is tried again', async () => {
  const url = await emptyDatabase();
  await addMigration('29990101000000_broken', 'CREATE TABLE "Half" (); SELECT nothing_like_this');
  await expect(migrate(url, folder)).rejects.toThrow(
    /29990101000000_broken failed \(column "nothing_like_this" does not exist\)/,
  );
  expect((await shapeOf(url)).join()).not.toContain('Half');
  await expect(migrate(url, folder)).rejects.toThrow(/29990101000000_broken failed/);
  const mended = join(folder, '29990101000000_broken', 'migration.sql');
  await writeFile(mended, 'CREATE TABLE "Half" (id int)');
  expect(await migrate(url, folder)).toEqual(['29990101000000_broken']);
});

test('refuses to go on where prisma migrate left a migration half applied', async () => {
  const url = await emptyDatabase();
  await addMigration('29990101000000_half', 'CREATE TABLE "Half" (id int)');
  await migrate(url, folder);
  const client = await connect(url);
  await client.query(`UPDATE _prisma_migrations SET finished_at = NULL, logs = 'why'
    WHERE migration_name = '29990101000000_half'`);
  await expect(migrate(url, folder)).rejects.toThrow(/29990101000000_half failed on this database/);
  // What `prisma migrate resolve --rolled-back` writes, after somebody has tidied up.
  await client.query(
    'DROP TABLE "Half"; UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL',
  );
  expect(await migrate(url, folder)).toEqual(['29990101000000_half']);
});

test('refuses a migration that was edited after it was applied', async () => {
  const url = await emptyDatabase();
  await addMigration('29990101000000_edited', 'CREATE TABLE "Edited" (id int);\n');
  await migrate(url, folder);
  const file = join(folder, '29990101000000_edited', 'migration.sql');
  await writeFile(file, 'CREATE TABLE "Edited" (id int);\r\n');
  expect(await migrate(url, folder)).toEqual([]);
  await appendFile(file, '-- changed');
  await expect(migrate(url, folder)).rejects.toThrow(/29990101000000_edited was changed/);
});

test('refuses a database of another program', async () => {
  const url = await emptyDatabase();
  await (await connect(url)).query('CREATE TABLE invoices (id int)');
  await expect(migrate(url)).rejects.toThrow(/tables of another program \(invoices\)/);
});
