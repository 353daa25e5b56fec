import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

interface Locked {
  readonly integrity?: string;
  /** A package of this repository. */
  readonly link?: boolean;
}

/** npm leaves the checksum out of what it locks for other systems from a cache of its own. */
test('each package that npm installs, on any system, has the checksum of what was reviewed', async () => {
  const text = await readFile(new URL('../package-lock.json', import.meta.url), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };
  const bare = Object.entries(packages).flatMap(([path, { integrity, link }]) =>
    path.includes('node_modules/') && !link && !integrity?.startsWith('sha512-') ? [path] : [],
  );
  expect(bare).toEqual([]);
});
