import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** The architecture is what lint enforces (biome.jsonc, lint-rules/): here every rule is broken once. */

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Folder, what a file in it imports, and the reason it is refused for. */
const REFUSED = [
  ['packages/kernels/src', 'node:fs', 'is pure'],
  ['packages/kernels/src', '@tilemark/core', 'is pure'],
  ['packages/kernels/src', 'webgpu', 'Dawn is opened'],
  ['packages/core/src/plan', 'node:fs', 'is isomorphic'],
  ['packages/core/src/gate', '../server/store/database', 'is isomorphic'],
  ['packages/core/src/gate', '@tilemark/db', 'server/store only'],
  ['packages/core/src/plan', '../server/env', 'is isomorphic'],
  ['packages/core/src', './server', 'is isomorphic'],
  ['packages/core/src/server', 'bullmq', 'server/queue only'],
  ['packages/core/src/server', 'ioredis', 'server/queue only'],
  ['packages/core/src/server/store', 'bullmq', 'server/queue only'],
  ['packages/core/src/server', '@tilemark/db', 'server/store only'],
  ['packages/core/src/server/queue', '@tilemark/db', 'server/store only'],
  ['packages/core/src/server', '../../../../prisma', 'server/store only'],
  ['packages/core/src/server', 'pg', 'A connection of pg'],
  ['apps/web/src', 'pg', 'A connection of pg'],
  ['apps/web/src', 'bullmq/dist/esm/classes', 'server/queue only'],
  ['apps/web/src', '@tilemark/db', 'server/store only'],
  ['apps/web/src', '@prisma/client', 'own affair of prisma/'],
  ['packages/core/src/server/store', '@prisma/adapter-pg', 'own affair of prisma/'],
  ['apps/worker/src', 'webgpu', 'Dawn is opened'],
  ['apps/worker/src', '@tilemark/web', 'never import an app'],
  ['apps/web/src', '@tilemark/worker', 'never import an app'],
  ['apps/web/src', '../../../apps/worker/src/main', 'never import an app'],
  ['apps/web/src/server', '@/features/nav/nav', 'imports no page'],
  ['apps/web/src/server/api', '../../features/nav/nav', 'imports no page'],
  ['apps/web/src/server', '../app/fonts', 'imports no page'],
  ['apps/web/src', '@tilemark/kernels/src/op', 'not from a file inside it'],
  ['apps/web/src', '@tilemark/core/src/server/env', 'not from a file inside it'],
] as const;

const LET_IN = [
  ['packages/core/src/server/queue', 'bullmq'],
  ['packages/core/src/server/queue', 'pg'],
  ['packages/core/src/server/store', '@tilemark/db'],
  ['packages/core/src/server/store', 'pg'],
  ['packages/core/src/server', 'node:fs'],
  ['apps/web/src', '@tilemark/core/server'],
  ['apps/web/src', './features/nav/nav'],
  ['apps/worker/src/cli/kernel', '@tilemark/core/contributed'],
  ['apps/web/src', '@tilemark/kernels'],
] as const;

/** The ways to import; none may be a way around a rule. */
const FORMS: Record<string, (from: string) => string> = {
  import: (from) => `import * as it from '${from}';\nexport const used = it;\n`,
  'type import': (from) => `import type * as it from '${from}';\nexport type Used = typeof it;\n`,
  'export from': (from) => `export * from '${from}';\n`,
  'import()': (from) => `export const used = () => import('${from}');\n`,
  'import type': (from) => `export type Used = import('${from}').Thing;\n`,
};

/** What lint reported, a line per finding. */
let findings: string[] = [];
const planted: { file: string; text: string }[] = [];

/** Has a file linted as if it lay in `folder`; returns its path. */
function plant(folder: string, text: string, name = `probe-${planted.length}.ts`): string {
  const file = join(folder, `lint-probe-${process.pid}-${name}`);
  planted.push({ file, text });
  return file;
}

const about = (file: string) =>
  findings.filter((line) => line.includes(`file=${join(root, file)},`));

const refused = REFUSED.flatMap(([folder, from, reason]) =>
  Object.entries(FORMS).map(([form, write]) => {
    return { folder, from, reason, form, file: plant(folder, write(from)) };
  }),
);
/** Values come from below, types from anywhere; a worker is handed what reads contributed kernels. */
const UPWARDS = [
  ['packages/core/src/schema', '../statistics/summary'],
  ['packages/core/src/statistics', '../measure/outcome'],
  ['packages/core/src/measure', '../plan/expansion'],
  ['packages/core/src/plan', '../tune/climb'],
  ['packages/core/src/api', '../tune/selector'],
  ['packages/core/src/gate', '../server/store/roofs'],
  ['packages/core/src/worker', '../server/env'],
  ['packages/core/src/worker', '../contributed/kernel'],
  ['apps/worker/src/child', '@tilemark/core/contributed'],
  ['apps/worker/src/run', '@tilemark/core/contributed'],
] as const;
const upwards = UPWARDS.flatMap(([folder, from]) =>
  Object.entries(FORMS).map(([form, write]) => {
    return { folder, from, form, file: plant(folder, write(from)) };
  }),
);
const letIn = LET_IN.map(([folder, from]) => {
  return { folder, from, file: plant(folder, FORMS.import!(from)) };
});
const READ = 'export const port = process.env.PORT;\n';
const environment = ['apps/web/src', 'packages/core/src/server', 'scripts/start', 'bench'].map(
  (folder) => ({ folder, file: plant(folder, READ) }),
);
const typeCycle = ['a', 'b'].map((name, at) =>
  plant(
    'packages/core/src/measure',
    `import type { T${1 - at} } from './lint-probe-${process.pid}-types-${'ba'[at]}';\nexport type T${at} = T${1 - at} | null;\n`,
    `types-${name}.ts`,
  ),
);
const aName = `lint-probe-${process.pid}-a`;
const bName = `lint-probe-${process.pid}-b`;
const cycle = [
  plant(
    'apps/web/src',
    `import { b } from './${bName}';\nexport const a = (): unknown => b;\n`,
    'a.ts',
  ),
  plant(
    'apps/web/src',
    `import { a } from './${aName}';\nexport const b = (): unknown => a;\n`,
    'b.ts',
  ),
];

beforeAll(() => {
  for (const { file, text } of planted) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  const { stdout } = spawnSync(
    join(root, 'node_modules', '.bin', 'biome'),
    [
      ...['lint', '--reporter=github', '--max-diagnostics=none'],
      ...planted.map(({ file }) => file),
    ],
    { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 },
  );
  findings = stdout.split('\n').filter((line) => line.startsWith('::'));
});

afterAll(() => {
  for (const { file } of planted) rmSync(join(root, file), { force: true });
});

describe.each(refused)('$folder refuses $from', ({ file, form, reason }) => {
  test(`by ${form}`, () => {
    expect(about(file).join('\n')).toContain(reason);
  });
});

test.each(upwards)('$folder takes no value from $from by $form', ({ file, form }) => {
  const isOfTypes = form === 'type import' || form === 'import type';
  const refusal = /This floor of core|A worker imports no value/;
  expect(about(file).some((line) => refusal.test(line))).toBe(!isOfTypes);
});

test.each(letIn)('$folder lets in $from', ({ file }) => {
  expect(about(file)).toEqual([]);
});

test.each(environment)('$folder does not read process.env', ({ file }) => {
  expect(about(file).join('\n')).toContain('noProcessEnv');
});

test('import cycles are refused', () => {
  for (const file of [...cycle, ...typeCycle])
    expect(about(file).join('\n')).toContain('noImportCycles');
});
