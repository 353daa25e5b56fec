import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MIGRATIONS_FOLDER, readSchema, withEngine } from './engine';
import { FILTER, migrate } from './migrate';

/** SQL that would bring a database to schema.prisma; empty when it is there. */
export async function schemaDifference(url: string): Promise<string> {
  const schema = await readSchema();
  return withEngine(url, async (engine) => {
    const { stdout } = await engine.diff({
      // The adapter's database: the schema's own datasource names none.
      from: { tag: 'schemaDatasource', files: [schema], configDir: '' },
      to: { tag: 'schemaDatamodel', files: [schema] },
      script: true,
      exitCode: null,
      filters: FILTER,
    });
    const sql = stdout ?? '';
    return /^-- This is an empty migration\.\s*$/.test(sql) ? '' : sql;
  });
}

/**
 * Writes the SQL that leads from the committed migrations to schema.prisma into
 * a new folder of migrations/.
 *
 * @param url of an empty database, which is migrated on the way
 * @returns the folder written, or null when schema and migrations agree
 */
export async function newMigration(
  name: string,
  url: string,
  folder = MIGRATIONS_FOLDER,
): Promise<string | null> {
  if (!/^[a-z0-9_]+$/.test(name)) {
    throw new Error(`"${name}" is no name for a migration: use a-z, 0-9 and _.`);
  }
  await migrate(url, folder);
  const sql = await schemaDifference(url);
  if (!sql) return null;
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const path = join(folder, `${stamp}_${name}`);
  await mkdir(path);
  await writeFile(join(path, 'migration.sql'), sql);
  return path;
}
