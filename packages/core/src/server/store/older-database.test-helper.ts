import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '@tilemark/db';
import { emptyDatabase, execute } from '../../../services.test-helper';

export const PRISMA = fileURLToPath(new URL('../../../../../prisma/', import.meta.url));

export type Fixture = Readonly<Record<string, readonly Record<string, unknown>[]>>;

/** Rows of a database of that time, by table. */
export const readFixture = async (name: string): Promise<Fixture> =>
  JSON.parse(await readFile(join(PRISMA, 'fixtures', name), 'utf8'));

/** The URL of a database with these rows, as it was after the migration `last`. */
export async function olderDatabase(last: string, fixture: Fixture): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tilemark-upgrade-'));
  try {
    await cp(join(PRISMA, 'migrations'), folder, { recursive: true });
    const newer = (await readdir(folder)).filter((name) => /^\d/.test(name) && name > last);
    for (const name of newer) await rm(join(folder, name), { recursive: true });
    const url = await emptyDatabase();
    await migrate(url, folder);
    for (const [table, rows] of Object.entries(fixture)) {
      await execute(
        url,
        `INSERT INTO "${table}" SELECT * FROM
         jsonb_populate_recordset(NULL::"${table}", $rows$${JSON.stringify(rows)}$rows$)`,
      );
    }
    return url;
  } finally {
    await rm(folder, { recursive: true });
  }
}
