import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const worker = join(root, 'apps/worker');
/** `node scripts/pack-worker.mjs [--dist FOLDER] [--target FILE]`: the bundle, and the package. */
const { values } = parseArgs({
  options: {
    dist: { type: 'string', default: join(worker, 'dist') },
    target: { type: 'string', default: join(root, 'apps/web/public/worker.tgz') },
  },
});
const { dist, target } = values;

const { version, license, dependencies, optionalDependencies } = JSON.parse(
  await readFile(join(worker, 'package.json'), 'utf8'),
);

/**
 * What `npx` runs, and ends with it: the worker, or what the command line asks for: a command, help,
 * the version.
 */
const BIN = `#!/usr/bin/env node
if (process.env.npm_command) await import('./leash.mjs');
const [, , first = '--'] = process.argv;
if (first.startsWith('-') && !/^(-h|--help|-V|--version)$/.test(first)) process.argv.splice(2, 0, 'worker');
await import('./main.mjs');
`;

/** Database and queue, for machines whose operator gives them access: not part of the package. */
const isDirect = (name) => /^direct-[A-Z0-9]+\.mjs$/.test(name);

/** The files of a bundle that its programs load, without what only the direct link needs. */
async function loadedBy(folder, programs) {
  const files = new Set(programs);
  for (const file of files) {
    const code = await readFile(join(folder, file), 'utf8');
    for (const [, name] of code.matchAll(/(?:from|import)\s*\(?\s*"\.\/([\w.-]+\.mjs)"/g)) {
      if (!isDirect(name)) files.add(name);
    }
  }
  return files;
}

// The bundled worker as an npm package that the site serves, so that attached workers have the same
// version as the grid. npm gives every file the same date, so equal contents give equal bytes.
const staging = await mkdtemp(join(tmpdir(), 'tilemark-pack-'));
try {
  const built = await readdir(dist);
  for (const name of await loadedBy(dist, ['main.mjs', 'child.mjs', 'thread.mjs'])) {
    await cp(join(dist, name), join(staging, name));
    const legal = `${name}.LEGAL.txt`;
    if (built.includes(legal)) await cp(join(dist, legal), join(staging, legal));
  }
  await cp(join(root, 'LICENSE'), join(staging, 'LICENSE'));
  await cp(join(root, 'scripts/start/leash.mjs'), join(staging, 'leash.mjs'));
  await writeFile(join(staging, 'tilemark.mjs'), BIN);
  const content = {
    name: 'tilemark',
    version,
    license,
    description: 'Benchmarks the GPUs of this machine, by themselves or for a Tilemark grid.',
    type: 'module',
    bin: { tilemark: './tilemark.mjs' },
    engines: { node: '>=20.19' },
    dependencies: { 'naga-wasm': dependencies['naga-wasm'], webgpu: dependencies.webgpu },
    optionalDependencies: { koffi: optionalDependencies.koffi },
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
  const hash = createHash('sha256')
    .update(await readFile(`${target}.new`))
    .digest('hex');
  await rename(`${target}.new`, target);
  // As sha256sum reads it.
  await writeFile(`${target}.sha256`, `${hash}  ${basename(target)}\n`);
} finally {
  await rm(staging, { recursive: true, force: true });
}
