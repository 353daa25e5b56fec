import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../scripts/services/postgres';
import { MIGRATIONS_FOLDER } from './migrate';

/**
 * `npm run migration -w @tilemark/db -- NAME`: writes a new migration from the changes to
 * schema.prisma since the last commit. Read it before you commit both.
 */

const [name = ''] = process.argv.slice(2);
if (!/^[a-z0-9_]+$/.test(name)) throw new Error('Name the migration with a-z, 0-9 and _.');
const scratch = await mkdtemp(join(tmpdir(), 'tilemark-migration-'));
const postgres = await startPostgres({ dataDir: join(scratch, 'postgres') });
try {
  const committed = join(scratch, 'schema.prisma');
  await writeFile(committed, execFileSync('git', ['show', 'HEAD:./schema.prisma']));
  const tool = ['--experimental-wasm-modules', '--no-warnings', 'schema-sql.mjs'];
  const sql = execFileSync(process.execPath, [...tool, postgres.url, committed, 'schema.prisma']);
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const folder = join(MIGRATIONS_FOLDER, `${stamp}_${name}`);
  if (sql.length === 0) throw new Error('schema.prisma has not changed since the last commit.');
  await mkdir(folder);
  await writeFile(join(folder, 'migration.sql'), sql);
  process.stdout.write(`${folder}\n`);
} finally {
  await postgres.stop();
  await rm(scratch, { recursive: true });
}
