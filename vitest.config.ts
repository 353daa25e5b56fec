import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

/** Starts a Postgres and a Redis for the projects that need them. */
const SERVICES = [fileURLToPath(new URL('packages/core/setup.test-helper.ts', import.meta.url))];

/** Tests of the full set alone: what takes long, or has to have a process of its own. */
const FULL = '**/*.full.test.ts';

/**
 * One project per workspace. GPU and database tests share one machine, so files run two at a time.
 * They share their modules, too: with modules of their own, files of the site took twice the CPU time.
 */
const project = (name: string, root: string, globalSetup: string[] = []) => ({
  extends: true as const,
  test: {
    ...{ name, root, globalSetup, isolate: false },
    include: ['**/*.test.ts'],
    exclude: [...configDefaults.exclude, FULL],
  },
});

const alias = { '@': fileURLToPath(new URL('apps/web/src', import.meta.url)) };

const full = {
  extends: true as const,
  resolve: { alias },
  test: {
    ...{ name: 'full', root: '.', globalSetup: SERVICES },
    include: [FULL],
    exclude: [...configDefaults.exclude, '**/.next/**'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
};

/** Faults injected into a whole grid, a file at a time. */
const faults = {
  extends: true as const,
  test: {
    name: 'faults',
    root: 'tests/faults',
    include: ['**/*.test.ts'],
    globalSetup: [fileURLToPath(new URL('tests/build.ts', import.meta.url))],
    testTimeout: 600_000,
    fileParallelism: false,
  },
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    // Machines are shared: a limit is for what hangs, not for what is slow.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      project('db', 'prisma', SERVICES),
      project('kernels', 'packages/kernels'),
      project('core', 'packages/core', SERVICES),
      project('worker', 'apps/worker', SERVICES),
      { ...project('web', 'apps/web/src', SERVICES), resolve: { alias } },
      project('scripts', 'scripts'),
      project('bench', 'bench'),
      full,
      faults,
    ],
  },
});
