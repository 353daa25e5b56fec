import { appendFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
