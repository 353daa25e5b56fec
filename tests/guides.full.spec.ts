import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { access, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { emptyDataFolder, type Grid, startGrid } from './grid';
import { commandsIn, GUIDE_FILES, NOT_HERE } from './guide-commands';

/**
 * Every command of the README and the guides is executed in the order of its document, or it is listed
 * in guide-commands.ts with what executes it or why nothing can. Three things are stood in for: what
 * `npx` downloads is unpacked from the grid, with this checkout's `webgpu` beside it; the addresses,
 * tokens, and folders of the examples; and shapes, samples, and budgets, which are smaller.
 */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const run = promisify(execFile);

/** On a database of its own, in its data folder. */
let grid: Grid;
let folder: Awaited<ReturnType<typeof emptyDataFolder>>;
/** Where the commands of a document run. */
let home: string;
let program: string;
let lender: { readonly child: ChildProcess; readonly device: string };
/** What `cp -a` of the guide made. */
let copy: string;

test.describe.configure({ timeout: 600_000 });

test.beforeAll(async () => {
  folder = await emptyDataFolder();
  grid = await startGrid(folder.dataDir, ['--no-worker']);
  home = await mkdtemp(join(tmpdir(), 'tilemark-guides-'));
  copy = join(home, 'copy');
  await writeFile(
    join(home, 'worker.tgz'),
    Buffer.from(await (await fetch(`${grid.url}/worker.tgz`)).arrayBuffer()),
  );
  await run('tar', ['-xzf', 'worker.tgz'], { cwd: home });
  await mkdir(join(home, 'package', 'node_modules'));
  const webgpu = join('node_modules', 'webgpu');
  await symlink(join(root, webgpu), join(home, 'package', webgpu));
  program = `node ${join(home, 'package', 'tilemark.mjs')}`;
  lender = await attached(`${program} worker --contributed --device 0 --server ${grid.url}`);
});

test.afterAll(async () => {
  if (lender) await ended(lender.child);
  await grid?.stop();
  await folder?.remove();
  if (home) await rm(home, { recursive: true, force: true });
});

const asAdmin = () => ({
  Authorization: `Bearer ${grid.adminToken}`,
  'Content-Type': 'application/json',
});

async function api(path: string, body?: unknown) {
  const answer = await fetch(`${grid.url}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: asAdmin(),
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return answer.json();
}

/** Starts a worker by a command, and waits until the grid has it and none of its standing suites. */
async function attached(command: string): Promise<{ child: ChildProcess; device: string }> {
  const { secret } = await api('/tokens', { name: 'guides', role: 'worker', trusted: true });
  const known = (await api('/workers')).items.map(({ id }: { id: string }) => id);
  const child = spawn('bash', ['-c', `exec ${command.replace(/^TILEMARK_TOKEN=\S+ /, '')}`], {
    cwd: home,
    env: { ...process.env, TILEMARK_TOKEN: secret, TMPDIR: home, HOME: home },
  });
  const mine = async () =>
    (await api('/workers')).items.find(({ id }: { id: string }) => !known.includes(id));
  await expect.poll(mine, { timeout: 60_000 }).toBeTruthy();
  await cancelAll();
  return { child, device: (await mine()).device.key };
}

async function cancelAll(): Promise<void> {
  for (const { id } of (await api('/sweeps')).items) {
    await fetch(`${grid.url}/api/v1/sweeps/${id}/cancel`, { method: 'POST', headers: asAdmin() });
  }
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.on('exit', () => resolve());
    if (child.exitCode !== null) resolve();
    child.kill('SIGTERM');
  });
}

/** A command with the grid of the test in place of the example's, and less to measure. */
const here = (command: string): string =>
  command
    .replaceAll(/http:\/\/(?:grid\.example|localhost):3000/g, grid.url)
    .replace(/npx tilemark|npx -y \S+worker\.tgz/, program)
    .replace('.tilemark/admin-token', join(grid.dataDir, 'admin-token'))
    .replace(' docs/results', ` ${join(root, 'docs/results')}`)
    .replace('"KEY"', JSON.stringify(lender.device))
    .replace('"budgetSeconds":1800', '"budgetSeconds":10')
    .replace(/--shape \S+/, '--shape 32')
    .replace(/--shapes \S+/, '--shapes 32')
    .replace('n=1024', 'n=32')
    .replace(/--budget \S+/, '--budget 10s')
    .replace(/ check (?!.*--baseline)\S+$/, '$& --shape 32')
    .replace(/(--baseline \S+)/, '$1 --shape 32 --tolerance 0.9')
    .replace(/ bench .*/, '$& --policy smoke')
    .replace('--suite starter', '--suite starter --device cpu');

async function execute(command: string): Promise<void> {
  if (command.startsWith('cp -a .tilemark')) {
    // As the guide says, of a grid that has stopped.
    await ended(lender.child);
    await grid.stop();
    const [, , , to = ''] = command.split(' ');
    await run('bash', ['-c', command.replace('.tilemark', grid.dataDir).replace(to, copy)]);
    return;
  }
  if (command.startsWith('cp -a /backup')) {
    const second = join(home, 'second');
    await run('cp', ['-a', copy, second]);
    copy = second;
    return;
  }
  if (command.startsWith('npm start -- --data')) {
    const restored = await startGrid(copy, ['--no-worker']);
    const sweeps = await (await fetch(`${restored.url}/api/v1/sweeps`)).json();
    await restored.stop();
    expect(sweeps.items.length).toBeGreaterThan(0);
    return;
  }
  if (/worker\.tgz --server \S+$/.test(command)) {
    const { child } = await attached(here(command));
    return ended(child);
  }
  if (command.includes('--evidence')) {
    // What ships, in place of what a search of half an hour saves.
    const shipped = 'packages/core/src/tune/evidence/nvidia-h200-matmul-f32.json';
    await copyFile(join(root, shipped), join(home, 'evidence.json'));
  }
  if (command.includes('main.wgsl')) {
    await copyFile(join(home, 'my-matmul.wgsl'), join(home, 'main.wgsl'));
  }
  await run('bash', ['-c', here(command).replace(/^curl /, 'curl -fsS ')], {
    cwd: home,
    timeout: 240_000,
    env: { ...process.env, TILEMARK_TOKEN: grid.adminToken, TMPDIR: home, HOME: home },
  });
}

for (const file of GUIDE_FILES) {
  test(`of ${file}`, async () => {
    await rm(join(home, 'my-matmul.wgsl'), { force: true });
    for (const command of await commandsIn(file)) {
      if (NOT_HERE.some(([pattern]) => pattern.test(command))) continue;
      const failure = await execute(command).then(
        () => null,
        ({ code, message, stdout }) => `${message}exit code ${code}\n${stdout}`,
      );
      expect.soft(failure, command).toBeNull();
    }
  });
}

test('excuses no command that no document has', async () => {
  const commands = (await Promise.all(GUIDE_FILES.map(commandsIn))).flat();
  const unused = NOT_HERE.filter(([pattern]) => !commands.some((each) => pattern.test(each)));
  expect(unused).toEqual([]);
});

const PROJECTS = {
  bench: 'bench',
  core: 'packages/core',
  kernels: 'packages/kernels',
  web: 'apps/web/src',
  worker: 'apps/worker',
};

test('names tests that exist', async () => {
  const commands = (await Promise.all(GUIDE_FILES.map(commandsIn))).flat();
  const runs = commands.filter((command) => command.startsWith('npx vitest run'));
  expect(runs.length).toBeGreaterThan(3);
  for (const command of runs) {
    const [, project = '', files = ''] =
      /--project (\w+) (.*?)(?: -t .*| -u)?$/.exec(command) ?? [];
    for (const file of files.replace('<op>', 'matmul').split(' ')) {
      const path = join(root, Reflect.get(PROJECTS, project), file);
      await expect(access(path), command).resolves.toBeUndefined();
    }
  }
});
