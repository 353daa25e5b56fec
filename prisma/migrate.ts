import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MigrationList } from '@prisma/schema-engine-wasm';
import { MIGRATIONS_FOLDER, withEngine } from './engine';
import { LOCK_TABLE, withMigrationLock } from './migration-lock';

/** The database cannot be brought to this version's schema. Nothing was changed. */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused';
}

/** Every table is ours but the one that migrators lock. */
export const FILTER = { externalTables: [LOCK_TABLE], externalEnums: [] };

/** The committed migrations, oldest first. */
export async function readMigrations(folder = MIGRATIONS_FOLDER): Promise<MigrationList> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return {
    baseDir: folder,
    lockfile: {
      path: 'migration_lock.toml',
      content: await readFile(join(folder, 'migration_lock.toml'), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.sort().map(async (path) => ({
        path,
        migrationFile: {
          path: 'migration.sql',
          content: {
            tag: 'ok' as const,
            value: await readFile(join(folder, path, 'migration.sql'), 'utf8'),
          },
        },
      })),
    ),
  };
}

/**
 * Brings a database to the schema of this version, through the same engine and
 * `_prisma_migrations` table as `prisma migrate deploy`. Safe to call from
 * several processes at once; does nothing where nothing is to do.
 *
 * @param url `postgres://...` of an existing database
 * @returns names of the migrations applied by this call
 * @throws MigrationRefused when the database is newer than this version, or a
 * migration was edited or has failed before
 */
export async function migrate(url: string, folder = MIGRATIONS_FOLDER): Promise<string[]> {
  const migrationsList = await readMigrations(folder);
  return withMigrationLock(url, () =>
    withEngine(url, async (engine) => {
      const { history, failedMigrationNames, editedMigrationNames } =
        await engine.diagnoseMigrationHistory({
          migrationsList,
          optInToShadowDatabase: false,
          filters: FILTER,
        });
      if (history && history.diagnostic !== 'databaseIsBehind') {
        throw new MigrationRefused(
          `The database was migrated by a newer version (${history.unpersistedMigrationNames.join(', ')}): update Tilemark, or use another database.`,
        );
      }
      if (failedMigrationNames.length > 0) {
        throw new MigrationRefused(
          `Migration ${failedMigrationNames.join(', ')} failed on this database earlier: restore a backup, or use another database.`,
        );
      }
      if (editedMigrationNames.length > 0) {
        throw new MigrationRefused(
          `Migration ${editedMigrationNames.join(', ')} was changed after it had been applied: put back the committed file.`,
        );
      }
      const { appliedMigrationNames } = await engine.applyMigrations({
        migrationsList,
        filters: FILTER,
      });
      return appliedMigrationNames;
    }),
  );
}
