import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../scripts/services/postgres';
import { newMigration } from './difference';

/** `npm run migration -w @tilemark/db -- <name>`: schema.prisma's changes as a migration. */

const dataDir = await mkdtemp(join(tmpdir(), 'tilemark-migration-'));
const postgres = await startPostgres({ dataDir });
try {
  const path = await newMigration(process.argv[2] ?? '', postgres.url);
  process.stdout.write(`${path ?? 'schema.prisma and the migrations agree: nothing to write.'}\n`);
} finally {
  await postgres.stop();
  await rm(dataDir, { recursive: true });
}
