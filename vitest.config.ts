import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

/** Shaders are imported as text, as the bundlers of the worker and the site do. */
const wgslAsText = {
  name: 'wgsl-as-text',
  enforce: 'pre' as const,
  async load(id: string) {
    if (!id.endsWith('.wgsl')) return null;
    return `export default ${JSON.stringify(await readFile(id, 'utf8'))};`;
  },
};

/** Starts a Postgres and a Redis for the projects that need them. */
const SERVICES = [fileURLToPath(new URL('packages/core/setup.test-helper.ts', import.meta.url))];

/**
 * With modules of their own: they change what a process keeps, its tables of ops and dtypes, its
 * count of requests, its list of cards.
 */
const ALONE = ['**/new-op.test.ts', '**/prometheus.test.ts', '**/cards.test.ts'];

/**
 * One project per workspace. GPU and database tests share one machine, so files run two at a time. They
 * share their modules, too: loading them for each file took an eighth of the run.
 */
const project = (name: string, root: string, globalSetup: string[] = []) => ({
  extends: true as const,
  test: {
    ...{ name, root, globalSetup, isolate: false },
    include: ['**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...ALONE],
  },
});

const web = {
  ...project('web', 'apps/web/src', SERVICES),
  resolve: { alias: { '@': fileURLToPath(new URL('apps/web/src', import.meta.url)) } },
};

/**
 * Faults injected into a whole grid. `npm run test:faults` (TILEMARK_FAULTS=long) injects every
 * one, at its full length and a file at a time; `npm test` sends one sweep through a storm of them.
 */
const isLong = process.env.TILEMARK_FAULTS === 'long';
const faults = {
  extends: true as const,
  test: {
    name: 'faults',
    root: 'tests/faults',
    include: isLong ? ['**/*.test.ts'] : ['storm.test.ts'],
    globalSetup: [fileURLToPath(new URL('tests/build.ts', import.meta.url))],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    fileParallelism: !isLong,
  },
};

export default defineConfig({
  plugins: [wgslAsText],
  test: {
    maxWorkers: 2,
    // Machines are shared: a limit is for what hangs, not for what is slow.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: [
      project('db', 'prisma', SERVICES),
      project('kernels', 'packages/kernels'),
      project('core', 'packages/core', SERVICES),
      project('worker', 'apps/worker', SERVICES),
      web,
      {
        ...web,
        test: {
          ...project('alone', '.', SERVICES).test,
          ...{ include: ALONE, exclude: [...configDefaults.exclude, '**/.next/**'], isolate: true },
        },
      },
      project('scripts', 'scripts'),
      project('bench', 'bench'),
      faults,
    ],
  },
});
