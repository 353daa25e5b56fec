import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The commands of the README, the guides, and CONTRIBUTING, and why some cannot run in a test. */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const GUIDES = ['start', 'measure', 'choose', 'bring', 'operate', 'extend'];

export const GUIDE_FILES: readonly string[] = [
  'README.md',
  ...GUIDES.map((guide) => `docs/${guide}.md`),
  'CONTRIBUTING.md',
];

/**
 * The commands of a document: each of its shell blocks, in their order, and those of `npm`, `npx` and
 * `docker` that its text names. Lines that set a variable belong to the commands below them.
 */
export async function commandsIn(file: string): Promise<string[]> {
  const text = await readFile(join(root, file), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    block
      .replaceAll('\\\n', '')
      .split('\n')
      .filter((line) => line !== '' && !/^(#|export )/.test(line)),
  );
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '');
  const named = [...prose.matchAll(/`((?:npm|npx|docker) [^`]+)`/g)].flatMap(([, code = '']) =>
    code.split(' && '),
  );
  // The programs by their names alone, which are not commands.
  const names = ['npm start --', 'npx tilemark', 'npx -y http://grid.example:3000/worker.tgz'];
  return [...new Set([...blocks, ...named])].filter((command) => !names.includes(command));
}

/** What is not executed by guides.full.spec.ts, and what executes it or why nothing here can. */
export const NOT_HERE: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/^npm (ci|start)$/, 'every browser test begins with them: tests/build.ts, tests/grid.ts'],
  [/^npm run build\b/, 'tests/build.ts builds all that it builds'],
  [/^npm start -- --host 0\.0\.0\.0$/, 'listens beyond this machine; scripts/start/start.test.ts'],
  [/^npm (test|run test:full)$|^npx playwright test --project=pages$/, 'they run this test'],
  [/^npm run format$/, 'changes the sources; `npm test` checks the same without writing'],
  [/^npm run test:(faults|mutants)$/, 'parts of `npm run test:full`, an hour each'],
  [
    /^npm run bench:statistics$/,
    'simulates for many minutes; what it printed is in docs/results/statistics.md',
  ],
  [/^npm run bench:(grid|web|harness)$/, 'measure a machine for minutes; nothing to prove'],
  [/^npx vitest run --project /, '`npm test` runs these files; they exist (below)'],
  [/^docker |^npm run images$/, 'need a container engine; `npm run images` runs the same services'],
  [
    /^npx tilemark tune --suite /,
    'a family has shapes for GPUs; apps/worker/src/cli/tune/suite.full.test.ts searches a small one',
  ],
  [
    /^npx tilemark bisect /,
    'installs releases from the registry; apps/worker/src/cli/bisect/bisect.full.test.ts does so',
  ],
  [/^apt-get /, "installs on the machine, as root, from Debian's registry"],
  [/^(pg_dump|pg_restore|createdb) /, "need the server's own version of PostgreSQL's programs"],
];
