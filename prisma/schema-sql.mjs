/**
 * `node --experimental-wasm-modules schema-sql.mjs URL FROM TO`: prints the SQL that turns one
 * schema.prisma into another (FROM may be `empty`), by Prisma's schema engine as WebAssembly. For
 * development and tests: the engine of `prisma migrate` is a download that not every network has.
 *
 * URL is of any Postgres database; the engine connects to it but runs no query.
 */
import { readFileSync, writeSync } from 'node:fs';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import { SchemaEngine } from '@prisma/schema-engine-wasm';

const [url, from, to] = process.argv.slice(2);
const schema = (path) => ({ path, content: readFileSync(path, 'utf8') });
const target = schema(to);
const engine = await SchemaEngine.new(
  { datamodels: [[target.path, target.content]] },
  () => undefined,
  bindMigrationAwareSqlAdapterFactory(new PrismaPg({ connectionString: url })),
);
const { stdout } = await engine.diff({
  from: from === 'empty' ? { tag: 'empty' } : { tag: 'schemaDatamodel', files: [schema(from)] },
  to: { tag: 'schemaDatamodel', files: [target] },
  script: true,
  exitCode: null,
  filters: { externalTables: [], externalEnums: [] },
});
if (!/^-- This is an empty migration\.\s*$/.test(stdout ?? '')) writeSync(1, stdout);
process.exit();
