import pg from 'pg';

/**
 * What migrators lock. Workers are granted nothing on it, while an advisory lock is anybody's to
 * take and keep. The engine is told that it is not ours to migrate.
 */
export const LOCK_TABLE = 'public._tilemark_migrating';

/**
 * Runs `use` while no other migrator works on the database: they wait for each other,
 * however long that takes. The engine's own lock is an advisory one, and left out (catalogue.ts).
 */
export async function withMigrationLock<T>(url: string, use: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    // Whoever makes the table at the same moment is told of the relation, of its type or of an
    // index, as it comes: what counts is that the table is there.
    await client.query(`
      DO $$ BEGIN
        IF to_regclass('${LOCK_TABLE}') IS NULL THEN CREATE TABLE ${LOCK_TABLE} (); END IF;
      EXCEPTION WHEN OTHERS THEN
        IF to_regclass('${LOCK_TABLE}') IS NULL THEN RAISE; END IF;
      END $$`);
    await client.query(`BEGIN; LOCK TABLE ${LOCK_TABLE} IN SHARE UPDATE EXCLUSIVE MODE`);
    return await use();
  } finally {
    // Ending the session gives the lock back.
    await client.end();
  }
}
