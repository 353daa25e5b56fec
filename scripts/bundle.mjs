import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const { values } = parseArgs({ options: { outdir: { type: 'string' } }, allowPositionals: true });
const outdir = values.outdir ? resolve(values.outdir) : join(root, 'apps/worker/dist');

// The worker, its child and the child's threads as ES modules that need Node and `webgpu` beside them
// and nothing else, so that a bare GPU machine can run them. What only the command
// `worker` needs (database, queue) lands in chunks that the others never load.
const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: {
    main: 'apps/worker/src/main.ts',
    child: 'apps/worker/src/child.ts',
    thread: 'apps/worker/src/thread.ts',
    harness: 'apps/worker/src/harness.ts',
  },
  outdir,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  loader: { '.wgsl': 'text' },
  // pg loads its native client only where a program asks for it.
  external: ['webgpu', 'pg-native'],
  // CommonJS packages in the bundle still require Node's own modules.
  banner: {
    js: "import { createRequire as bundleRequire } from 'node:module';\nconst require = bundleRequire(import.meta.url);",
  },
  sourcemap: 'linked',
  keepNames: true,
  legalComments: 'linked',
  logLevel: 'warning',
  write: false,
});

// Only now: a build that fails leaves the one before in place.
await rm(outdir, { recursive: true, force: true });
await mkdir(outdir, { recursive: true });
for (const { path, contents } of outputFiles) await writeFile(path, contents);
