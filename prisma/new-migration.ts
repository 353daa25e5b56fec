import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../scripts/services/postgres';
import { MIGRATIONS_FOLDER } from './migrate';

/**
 * `npm run migration -w @tilemark/db`: writes the first migration again from schema.prisma, down to
 * its marker line. What stands below the line is written by hand and stays. For as long as no
 * release has the migration: databases that applied the earlier text are refused, and the one in
 * releases/ has to be written again (packages/core/src/server/store/releases.test.ts).
 *
 * `npm run migration -w @tilemark/db -- NAME`: from the release on, writes a new migration from the
 * changes to schema.prisma since the last commit. Read it before you commit both; a migration that
 * was released is never edited.
 */

const MARKER = '-- By hand: what schema.prisma has no words for.\n';

const [name] = process.argv.slice(2);
if (name !== undefined && !/^[a-z0-9_]+$/.test(name))
  throw new Error('Name the migration with a-z, 0-9 and _.');
const scratch = await mkdtemp(join(tmpdir(), 'tilemark-migration-'));
const postgres = await startPostgres({ dataDir: join(scratch, 'postgres') });
try {
  const file = name === undefined ? await writeFirst() : await writeNext(name);
  process.stdout.write(`${file}\n`);
} finally {
  await postgres.stop();
  await rm(scratch, { recursive: true });
}

async function writeFirst(): Promise<string> {
  const [first = ''] = (await readdir(MIGRATIONS_FOLDER)).sort();
  const file = join(MIGRATIONS_FOLDER, first, 'migration.sql');
  const [, byHand, ...more] = (await readFile(file, 'utf8')).split(MARKER);
  if (byHand === undefined || more.length > 0) throw new Error(`${file} needs one line ${MARKER}`);
  await writeFile(file, `${schemaSql('empty')}\n${MARKER}${byHand}`);
  return file;
}

async function writeNext(name: string): Promise<string> {
  const committed = join(scratch, 'schema.prisma');
  await writeFile(committed, execFileSync('git', ['show', 'HEAD:./schema.prisma']));
  const sql = schemaSql(committed);
  if (sql === '') throw new Error('schema.prisma has not changed since the last commit.');
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const folder = join(MIGRATIONS_FOLDER, `${stamp}_${name}`);
  await mkdir(folder);
  await writeFile(join(folder, 'migration.sql'), sql);
  return folder;
}

/** The SQL that leads from a schema file, or from `empty`, to schema.prisma. */
function schemaSql(from: string): string {
  const tool = ['--experimental-wasm-modules', '--no-warnings', 'schema-sql.mjs'];
  const args = [...tool, postgres.url, from, 'schema.prisma'];
  return execFileSync(process.execPath, args, { encoding: 'utf8' });
}
