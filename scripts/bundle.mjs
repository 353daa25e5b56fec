import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * `node scripts/bundle.mjs [--outdir DIR]` bundles the worker and the programs of bench/;
 * `node scripts/bundle.mjs site`, the site's server with the API, and what its image starts.
 */
const { positionals, values } = parseArgs({
  options: { outdir: { type: 'string' } },
  allowPositionals: true,
});
const isSite = positionals.includes('site');
const outdir = resolve(values.outdir ?? join(root, isSite ? 'apps/web/dist' : 'apps/worker/dist'));

/** The commit of a checkout, where its files are as committed; else undefined. */
function commitOf() {
  const git = (...words) =>
    execFileSync('git', words, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  try {
    const isOurs = resolve(git('rev-parse', '--show-toplevel').trim()) === resolve(root);
    const changed = git('status', '--porcelain', '--untracked-files=no').trim();
    return isOurs && changed === '' ? git('rev-parse', 'HEAD').trim() : undefined;
  } catch {
    return undefined;
  }
}

// ES modules that need Node and `webgpu` beside them and nothing else, so that a bare GPU
// machine can run them.
const options = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  loader: { '.wgsl': 'text' },
  define: { TILEMARK_COMMIT: JSON.stringify(commitOf()) ?? 'undefined' },
  // pg loads its native client only on request; koffi is loaded where it is installed.
  external: ['webgpu', 'koffi', 'pg-native'],
  // CommonJS packages in the bundle still require Node's own modules.
  banner: {
    js: "import { createRequire as bundleRequire } from 'node:module';\nconst require = bundleRequire(import.meta.url);",
  },
  keepNames: isSite,
  minifyWhitespace: true,
  legalComments: 'linked',
  logLevel: 'warning',
  write: false,
};

// The worker, its child and the child's threads. Code that only the command `worker` needs
// (database, queue) goes into chunks that the others never load.
const worker = () =>
  build({
    ...options,
    entryPoints: {
      main: 'apps/worker/src/main.ts',
      child: 'apps/worker/src/child.ts',
      thread: 'apps/worker/src/thread.ts',
      harness: 'bench/harness.ts',
      mutants: 'bench/mutants.ts',
    },
    outdir,
    splitting: true,
    sourcemap: 'linked',
  });

// The programs of bench/ that a GPU machine runs, each in one file.
const bench = () =>
  build({
    ...options,
    entryPoints: ['engine-side', 'engines', 'side-by-side', 'repeats', 'regret'].map(
      (name) => `bench/${name}.ts`,
    ),
    outdir: join(outdir, 'bench'),
  });

// The start of a deployment, and the site's server with the API; its pages are Next's output.
const site = () =>
  build({
    ...options,
    entryPoints: { deployed: 'scripts/start/deployed.ts', serve: 'apps/web/src/server/serve.ts' },
    outdir,
    splitting: true,
    external: [...options.external, 'next'],
  });

// A clone has no database client until it is generated.
if (!existsSync(join(root, 'prisma/generated'))) {
  execFileSync(process.execPath, [join(root, 'prisma/generate.mjs')], { stdio: 'inherit' });
}
const built = await Promise.all(isSite ? [site()] : [worker(), bench()]);

// Last, so that a failed build leaves the previous one in place.
await rm(outdir, { recursive: true, force: true });
for (const { path, contents } of built.flatMap(({ outputFiles }) => outputFiles)) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, contents);
}
if (!isSite) await cp(join(root, 'bench/vendor.py'), join(outdir, 'bench/vendor.py'));
