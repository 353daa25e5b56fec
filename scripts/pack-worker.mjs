import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const worker = join(root, 'apps/worker');
const target = join(root, 'apps/web/public/worker.tgz');

const { version, license, dependencies } = JSON.parse(
  await readFile(join(worker, 'package.json'), 'utf8'),
);

/** What `npx` runs: the worker, or another command of `tilemark` where one is named. */
const BIN = `#!/usr/bin/env node
if (process.argv.length === 2 || process.argv[2].startsWith('-')) process.argv.splice(2, 0, 'worker');
await import('./main.mjs');
`;

// The bundled worker as an npm package that the site serves, so that the version of a worker
// that attaches is the grid's own. npm gives every file the same date: equal contents, equal bytes.
const staging = await mkdtemp(join(tmpdir(), 'tilemark-pack-'));
try {
  const dist = join(worker, 'dist');
  for (const name of await readdir(dist)) {
    // Source maps are large, and `harness` measures the measuring.
    if (!/\.map$|^harness\./.test(name)) await cp(join(dist, name), join(staging, name));
  }
  await cp(join(root, 'LICENSE'), join(staging, 'LICENSE'));
  await writeFile(join(staging, 'tilemark.mjs'), BIN);
  const content = {
    name: 'tilemark',
    version,
    license,
    description: 'Serves a GPU of this machine to a Tilemark grid.',
    type: 'module',
    bin: { tilemark: './tilemark.mjs' },
    engines: { node: '>=20.19' },
    dependencies: { webgpu: dependencies.webgpu },
  };
  await writeFile(join(staging, 'package.json'), `${JSON.stringify(content, null, 2)}\n`);
  const packed = execFileSync('npm', ['pack', '--silent', '--ignore-scripts'], {
    cwd: staging,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  await mkdir(dirname(target), { recursive: true });
  // Whole or not at all: the site may be serving the one before. Not a rename: /tmp may be elsewhere.
  await cp(join(staging, packed.trim().split('\n').at(-1) ?? ''), `${target}.new`);
  await rename(`${target}.new`, target);
} finally {
  await rm(staging, { recursive: true, force: true });
}
