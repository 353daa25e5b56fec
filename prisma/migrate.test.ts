import { appendFile, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { emptyDatabase } from '../packages/core/test-services';
import { newMigration, schemaDifference } from './difference';
import { MIGRATIONS_FOLDER } from './engine';
import { createClient, MigrationRefused, migrate } from './index';

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

test('the committed migrations lead to schema.prisma', async () => {
  const url = await emptyDatabase();
  expect(await migrate(url)).not.toEqual([]);
  expect(await schemaDifference(url)).toBe('');
});

test('a second run changes nothing', async () => {
  const url = await emptyDatabase();
  await migrate(url);
  expect(await migrate(url)).toEqual([]);
});

test('writes the table that prisma migrate reads', async () => {
  const url = await emptyDatabase();
  const applied = await migrate(url);
  const client = createClient(url);
  const rows = await client.$queryRaw<{ migration_name: string; finished_at: Date }[]>`
    SELECT migration_name, finished_at FROM _prisma_migrations ORDER BY migration_name`;
  await client.$disconnect();
  expect(rows.map((row) => row.migration_name)).toEqual(applied);
  for (const row of rows) expect(row.finished_at).toBeInstanceOf(Date);
});

test('migrators that start together do not clash', async () => {
  const url = await emptyDatabase();
  const applied = await Promise.all([migrate(url), migrate(url), migrate(url)]);
  expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
});

test('who may not change the schema cannot hold migrators up', async () => {
  const url = await emptyDatabase();
  await migrate(url);
  const role = `other_${new URL(url).pathname.slice(1)}`;
  const owner = createClient(url);
  await owner.$executeRawUnsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'x'`);
  const other = new pg.Client(Object.assign(new URL(url), { username: role, password: 'x' }).href);
  await other.connect();
  for (const lock of [0x74_69_6c_65, 72_707_369]) {
    await other.query('SELECT pg_advisory_lock($1)', [lock]);
  }
  await expect(
    other.query('BEGIN; LOCK TABLE _tilemark_migrating IN ACCESS SHARE MODE'),
  ).rejects.toThrow(/permission denied/);
  await addMigration('29990101000000_later', 'CREATE TABLE "Later" (id int)');
  expect(await migrate(url, folder)).toEqual(['29990101000000_later']);
  await other.end();
  await owner.$executeRawUnsafe(`DROP ROLE ${role}`);
  await owner.$disconnect();
});

test('a program that loads the module again keeps to the engine it has', async () => {
  await migrate(await emptyDatabase());
  const instantiate = vi.spyOn(WebAssembly, 'instantiate');
  vi.resetModules();
  const again = await import('./migrate');
  await again.migrate(await emptyDatabase());
  expect(instantiate).not.toHaveBeenCalled();
  instantiate.mockRestore();
});

test('refuses a database of a newer version and leaves it alone', async () => {
  const url = await emptyDatabase();
  await addMigration('29990101000000_later', 'CREATE TABLE "Later" (id int)');
  await migrate(url, folder);
  await expect(migrate(url)).rejects.toThrow(MigrationRefused);
  await expect(migrate(url)).rejects.toThrow(/newer version \(29990101000000_later\)/);
});

test('refuses to go on after a migration that failed, and names it', async () => {
  const url = await emptyDatabase();
  await addMigration('29990101000000_broken', 'SELECT nothing_like_this');
  await expect(migrate(url, folder)).rejects.toThrow(/29990101000000_broken/);
  await expect(migrate(url, folder)).rejects.toThrow(/29990101000000_broken failed/);
});

test('refuses a migration that was edited after it had been applied', async () => {
  const url = await emptyDatabase();
  await addMigration('29990101000000_edited', 'CREATE TABLE "Edited" (id int)');
  await migrate(url, folder);
  await appendFile(join(folder, '29990101000000_edited', 'migration.sql'), '\n-- changed');
  await expect(migrate(url, folder)).rejects.toThrow(/29990101000000_edited was changed/);
});

test('a new migration holds the difference to schema.prisma', async () => {
  await addMigration('29990101000000_drift', 'ALTER TABLE "Sweep" DROP COLUMN "name"');
  const path = await newMigration('put_it_back', await emptyDatabase(), folder);
  expect(path).toMatch(/\d{14}_put_it_back$/);
  expect(await newMigration('nothing', await emptyDatabase())).toBeNull();
  await expect(newMigration('No Name', await emptyDatabase(), folder)).rejects.toThrow(/no name/);
});

test('what was measured before a variant had a best of its own gets one', async () => {
  const url = await emptyDatabase();
  const init = '20261121000000_init';
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && entry.name !== init)
      await rm(join(folder, entry.name), { recursive: true });
  }
  await migrate(url, folder);
  const client = createClient(url);
  await client.$executeRaw`
    INSERT INTO "Device" ("key", "vendor", "architecture", "name", "backend", "runtime", "class", "capabilities")
    VALUES ('d', 'v', 'a', 'n', 'vulkan', 'dawn', 'gpu', '{}')`;
  await client.$executeRaw`
    INSERT INTO "Worker" ("id", "name", "host", "version", "deviceKey")
    VALUES ('own', 'lab', 'h', '0', 'd'), ('file', 'import by reviewer', 'h', '0', 'd')`;
  await client.$executeRaw`INSERT INTO "Environment" ("hash", "content") VALUES ('e', '{}')`;
  await client.$executeRaw`
    INSERT INTO "Sweep" ("id", "name", "spec", "createdBy") VALUES ('s', 's', '{}', 'c')`;
  const rows = [
    ['slow', 'own', 'matmul/naive', 9, null],
    ['fast', 'file', 'matmul/naive', 5, null],
    ['noisy', 'own', 'matmul/naive', 1, 'noisy'],
    ['copy', 'own', 'transpose/copy', 1, null],
    ['failed', 'own', 'matmul/tiled', null, null],
  ] as const;
  for (const [ordinal, [id, worker, kernel, medianNs, unranked]] of rows.entries()) {
    await client.$executeRaw`
      INSERT INTO "Run" ("id", "sweepId", "ordinal", "deviceKey", "kernel", "tunables", "address",
        "op", "shape", "dtype", "profile", "policy", "state")
      VALUES (${id}, 's', ${ordinal}, 'd', ${kernel}, '{}', ${kernel}, 'matmul', '64', 'f32',
        'default', 'default', 'measured')`;
    await client.$executeRaw`
      INSERT INTO "Result" ("id", "runId", "workerId", "environmentHash", "outcome", "medianNs",
        "unranked", "endedAt")
      VALUES (${id}, ${id}, ${worker}, 'e', '{}', ${medianNs}::float8, ${unranked}, now())`;
  }
  await migrate(url);
  expect(await client.variantBest.findMany()).toMatchObject([
    { deviceKey: 'd', address: 'matmul/naive', resultId: 'fast', medianNs: 5, unranked: null },
  ]);
  const imported = await client.result.findMany({ where: { importedBy: { not: null } } });
  expect(imported).toMatchObject([{ id: 'fast', importedBy: 'reviewer' }]);
  await client.$disconnect();
});
