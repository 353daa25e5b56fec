import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { invoked } from './invoked';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tilemark-invoked-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const as = (script: string) => invoked(['check', 'my.wgsl'], ['node', script], '/home/ada/grid');

/** As `npx -y PACKAGE` leaves its cache (npm 11). */
async function cached(asked: string): Promise<string> {
  const cache = join(folder, '_npx', 'ffdfb74bcd9b0ce6');
  await mkdir(cache, { recursive: true });
  await writeFile(join(cache, 'package.json'), JSON.stringify({ _npx: { packages: [asked] } }));
  return join(cache, 'node_modules', '.bin', 'tilemark');
}

it('repeats what npx was given', async () => {
  expect(as(await cached('http://grid.example:3000/worker.tgz'))).toBe(
    'npx -y http://grid.example:3000/worker.tgz check my.wgsl',
  );
  expect(as(await cached('http://grid/worker.tgz?protocol=3'))).toBe(
    "npx -y 'http://grid/worker.tgz?protocol=3' check my.wgsl",
  );
});

it('is npx in a checkout, and node with the path of the program elsewhere', () => {
  expect(as('/home/ada/grid/node_modules/.bin/tilemark')).toBe('npx tilemark check my.wgsl');
  expect(as('/home/ada/grid/apps/worker/dist/main.mjs')).toBe(
    'node apps/worker/dist/main.mjs check my.wgsl',
  );
  expect(as('/opt/worker/main.mjs')).toBe('node /opt/worker/main.mjs check my.wgsl');
  expect(as('/usr/bin/tilemark')).toBe('tilemark check my.wgsl');
});

it('quotes what a shell would take apart', () => {
  expect(invoked(['check', "a b's.wgsl"], ['node', '/usr/bin/tilemark'], '/')).toBe(
    "tilemark check 'a b'\\''s.wgsl'",
  );
});
