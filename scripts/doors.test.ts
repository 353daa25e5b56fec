import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';

/** The architecture is what lint says it is: each wall is walked into once. */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Lints files as if they lay in `folder`; returns what lint says and whether it failed. */
function lint(folder: string, files: Record<string, string>): { failed: boolean; said: string } {
  const scratch = join(root, folder, `lint-probe-${process.pid}-${folders.length}`);
  folders.push(scratch);
  mkdirSync(scratch, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(scratch, name), text);
  const { status, stdout, stderr } = spawnSync(
    join(root, 'node_modules', '.bin', 'biome'),
    ['lint', '--colors=off', scratch],
    { cwd: root, encoding: 'utf8' },
  );
  return { failed: status !== 0, said: stdout + stderr };
}

const importing = (from: string) => `import * as it from '${from}';\nexport const used = it;\n`;

test.each([
  ['packages/kernels/src', 'node:fs', 'is pure'],
  ['packages/kernels/src', '@tilemark/core', 'is pure'],
  ['packages/kernels/src', 'webgpu', 'Dawn is opened'],
  ['packages/core/src', 'node:fs', 'is isomorphic'],
  ['packages/core/src', './server/env', 'is isomorphic'],
  ['packages/core/src/server', 'bullmq', 'server/queue only'],
  ['packages/core/src/server', 'ioredis', 'server/queue only'],
  ['packages/core/src/server', '@tilemark/db', 'server/store only'],
  ['apps/worker/src', 'webgpu', 'Dawn is opened'],
  ['apps/web/src', '@tilemark/db', 'server/store only'],
  ['apps/web/src', '@prisma/client', "prisma/'s own"],
  ['apps/web/src', '@tilemark/worker', 'never import an app'],
  ['apps/web/src', '@tilemark/kernels/src/op', 'not from a file inside it'],
])('%s does not import %s', (folder, from, reason) => {
  const { failed, said } = lint(folder, { 'probe.ts': importing(from) });
  expect(failed, said).toBe(true);
  expect(said).toContain(reason);
});

test('what stands behind a door is let in', () => {
  const { failed, said } = lint('packages/core/src/server/queue', {
    'probe.ts': importing('bullmq'),
  });
  expect(failed, said).toBe(false);
});

test('process.env is read in env.ts only', () => {
  const { failed, said } = lint('apps/web/src', {
    'probe.ts': 'export const port = process.env.PORT;\n',
  });
  expect(failed, said).toBe(true);
  expect(said).toContain('noProcessEnv');
});

test('import cycles are refused', () => {
  const { failed, said } = lint('apps/web/src', {
    'a.ts': "import { b } from './b';\nexport const a = (): unknown => b;\n",
    'b.ts': "import { a } from './a';\nexport const b = (): unknown => a;\n",
  });
  expect(failed, said).toBe(true);
  expect(said).toContain('noImportCycles');
});
