import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** `node scripts/copy-records.mjs` puts the files behind the figures of docs/ where the site serves them. */
const from = join(root, 'docs/results');
const to = join(root, 'apps/web/public/docs/results');
await rm(to, { recursive: true, force: true });
for (const name of await readdir(from, { recursive: true })) {
  if (!name.endsWith('.json')) continue;
  await mkdir(dirname(join(to, name)), { recursive: true });
  await cp(join(from, name), join(to, name));
}
