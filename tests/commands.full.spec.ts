import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium, expect, type Page } from '@playwright/test';
import { benchFile } from './bench-file';
import { bring } from './bring';
import { test } from './fixtures';
import type { Grid } from './grid';

/**
 * Every command and program that a page prints is executed as printed, against the grid that prints
 * it; those of the guides in guides.full.spec.ts. Two things are stood in for: what `npx` downloads is unpacked from the address in the command,
 * with this checkout's `webgpu` beside it, and a suite is measured with few samples.
 */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const run = promisify(execFile);

let grid: Grid;
/** What the grid serves, unpacked, in the working folder of every command. */
let home: string;
/** Result ids of a sweep that was measured with two tunables, on the host and on the software GPU. */
let measured: readonly string[];

test.describe.configure({ mode: 'serial', timeout: 600_000 });

test.beforeAll(async ({ makeGrid }) => {
  grid = await makeGrid();
  home = await mkdtemp(join(tmpdir(), 'tilemark-commands-'));
  await writeFile(
    join(home, 'worker.tgz'),
    Buffer.from(await (await fetch(`${grid.url}/worker.tgz`)).arrayBuffer()),
  );
  await run('tar', ['-xzf', 'worker.tgz'], { cwd: home });
  await mkdir(join(home, 'package', 'node_modules'));
  await symlink(
    join(root, 'node_modules', 'webgpu'),
    join(home, 'package', 'node_modules', 'webgpu'),
  );
  await importFile(benchFile());
  const file = join(home, 'measured.json');
  await shell(
    `${worker()} bench --kernel matmul/tiled --tunable TILE=8 --tunable UNROLL=2 --shape 33 --dtype f32 --policy smoke --json ${file}`,
  );
  measured = await importFile(JSON.parse(await readFile(file, 'utf8')));
});

test.afterAll(async () => {
  await grid?.stop();
  if (home) await rm(home, { recursive: true, force: true });
});

const worker = () => `npx -y ${grid.url}/worker.tgz`;

/** Runs a command as printed; resolves to what it printed, and throws if it fails. */
async function shell(command: string): Promise<string> {
  const { stdout, stderr } = await run('bash', ['-c', lasting(command)], {
    cwd: home,
    timeout: 200_000,
  });
  return stdout + stderr;
}

/** The command with what `npx` would download; PowerShell's way to set a variable becomes bash's. */
function unpacked(command: string): string {
  const program = `node ${join(home, 'package', 'tilemark.mjs')}`;
  const inBash = command.replace(/^\$env:(\w+)='(.*?)'; /, '$1=$2 ');
  const invoked = /^((?:\w+=\S+ )?)npx(?:\.cmd)? -y (\S+)/;
  const [, , source = ''] = invoked.exec(inBash) ?? [];
  expect([`${grid.url}/worker.tgz`, './worker.tgz'], command).toContain(source);
  return inBash.replace(invoked, `$1${program}`);
}

/** The command as the shell's own process, which hears the signal that ends it. */
const lasting = (command: string): string => unpacked(command).replace(/\bnode /, 'exec node ');

async function importFile(file: Parameters<typeof bring>[1]): Promise<string[]> {
  const { id } = await bring(grid, file);
  const results = await (await fetch(`${grid.url}/api/v1/sweeps/${id}/results`)).json();
  return results.items.map(({ resultId }: { resultId: string }) => resultId);
}

const asAdmin = () => ({
  Authorization: `Bearer ${grid.adminToken}`,
  'Content-Type': 'application/json',
});

async function post(path: string, body: unknown) {
  const answer = await fetch(`${grid.url}/api/v1${path}`, {
    ...{ method: 'POST', headers: asAdmin(), body: JSON.stringify(body) },
  });
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return answer.json();
}

/** The id under which the grid keeps the kernel that `kernel new` writes. */
async function contributed(name: string): Promise<string> {
  await shell(`${worker()} kernel new ${name}`);
  const source = await readFile(join(home, `${name}.wgsl`), 'utf8');
  return (await post('/kernels', { source })).id;
}

/** Every command on a page, in its order. */
async function commandsOf(page: Page, path: string): Promise<string[]> {
  await page.goto(`${grid.url}${path}`);
  const texts = await page.locator('main code').allTextContents();
  return texts.filter((text) => /^(npx(\.cmd)?|curl|node|npm) /.test(text));
}

test('of a result: the run beside the published one', async ({ page }) => {
  expect(measured).not.toEqual([]);
  for (const id of measured) {
    const commands = await commandsOf(page, `/results/${id}`);
    expect(commands).toHaveLength(1);
    const [rerun = ''] = commands;
    expect(await shell(rerun)).toMatch(/times as fast as published|UNCLEAR/);
  }
});

test('of a contributed kernel: the same, with its source from the grid; none once it is gone', async ({
  page,
}) => {
  const { secret } = await post('/tokens', { name: 'lender', role: 'worker', trusted: true });
  const lender = spawn(
    'bash',
    [
      '-c',
      lasting(
        `TILEMARK_TOKEN=${secret} ${worker()} worker --contributed --device 0 --server ${grid.url}`,
      ),
    ],
    { cwd: home, env: { ...process.env, TMPDIR: home, HOME: home } },
  );
  try {
    const software = async () => {
      const { items } = await (await fetch(`${grid.url}/api/v1/workers`)).json();
      return items.find(({ contributed }: { contributed: boolean }) => contributed);
    };
    await expect.poll(async () => (await software())?.state, { timeout: 60_000 }).toBe('running');
    // It begins with the standing suites, whose run in hand it gives back.
    const { id, device } = await software();
    await post(`/workers/${id}/pause`, {});
    await expect.poll(async () => (await software())?.state, { timeout: 60_000 }).toBe('paused');
    const started = await (await fetch(`${grid.url}/api/v1/sweeps`)).json();
    for (const { id: sweep } of started.items) {
      await fetch(`${grid.url}/api/v1/sweeps/${sweep}/cancel`, {
        ...{ method: 'POST', headers: asAdmin() },
      });
    }
    await post(`/workers/${id}/resume`, {});
    const kernel = await contributed('mine');
    const spec = {
      cases: [{ kernel, tunables: {}, shapes: [{ m: 33, n: 33, k: 33 }], dtypes: ['f32'] }],
      ...{ devices: [device.key], policy: 'smoke' },
    };
    const { id: sweep } = await post('/sweeps', { name: 'mine', spec });
    const result = async () => {
      const { items } = await (await fetch(`${grid.url}/api/v1/sweeps/${sweep}/results`)).json();
      return items[0]?.outcome?.kind === 'measured' ? items[0].resultId : null;
    };
    await expect.poll(result, { timeout: 120_000 }).toBeTruthy();
    const path = `/results/${await result()}`;
    const [rerun = '', ...others] = await commandsOf(page, path);
    expect(others).toEqual([]);
    expect(await shell(rerun)).toMatch(/times as fast as published|UNCLEAR/);

    await fetch(`${grid.url}/api/v1/kernels/${kernel}`, { method: 'DELETE', headers: asAdmin() });
    expect(await commandsOf(page, path)).toEqual([]);
  } finally {
    await ended(lender);
  }
});

// No page prints these; they take a kernel from its grid as `rerun` does.
test('of a contributed kernel: a duel and a search', async () => {
  const kernel = await contributed('rival');
  const at = `--shape 33 --server ${grid.url}`;
  const duel = await shell(`${worker()} duel ${kernel} '${kernel}[BLOCK=8]' ${at}`);
  expect(duel).toMatch(/A is [A-Z]+: [\d.]+ times as fast as B/);
  const tune = await shell(`${worker()} tune --kernel ${kernel} --budget 5s ${at}`);
  expect(tune).toContain(`Winner: ${kernel}[BLOCK=`);
});

test('of the API page: what asks this grid', async ({ page }) => {
  const [command = '', ...others] = await commandsOf(page, '/docs/api');
  expect(others).toEqual([]);
  const { stdout } = await run('bash', ['-c', command]);
  expect(JSON.parse(stdout)).toMatchObject({ wgsl: expect.stringContaining('@compute') });
});

test('of the page that adds a GPU: what measures elsewhere, and whose file it imports', async ({
  page,
}) => {
  const commands = await commandsOf(page, '/add');
  const devices = commands.find((command) => command.endsWith(' devices'));
  expect(await shell(devices ?? '')).toMatch(/cpu|CPU/);
  const elsewhere = commands.find((command) => command.includes(' bench '));
  await shell(`${elsewhere} --policy smoke --device cpu`);
  const texts = await page
    .locator('main code', { hasText: ' import results.json' })
    .allTextContents();
  const imports = texts.map((text) => text.replace('tm_member_...', grid.adminToken));
  expect(imports).toHaveLength(1);
  expect(await shell(imports[0] ?? '')).toContain(`${grid.url}/sweeps/`);
});

test('of the page that adds a GPU: attaching, on either system, with the token pasted', async ({
  page,
}) => {
  for (const start of ['TILEMARK_TOKEN', '$env:']) {
    const { secret } = await post('/tokens', {
      name: `commands ${start}`,
      role: 'worker',
      trusted: true,
    });
    await page.goto(`${grid.url}/add`);
    // Nothing can be copied that would not work.
    await expect(page.getByText('Paste the token first')).toHaveCount(2);
    await page.getByLabel('Worker token').fill(secret);
    const copy = page.getByRole('button', { name: 'Copy the command for' });
    await expect(copy).toHaveCount(2);
    const texts = await page.locator('main code', { hasText: 'TILEMARK_TOKEN' }).allTextContents();
    const command = texts.find((text) => text.startsWith(start)) ?? '';
    const known = await workers();
    const child = spawn('bash', ['-c', lasting(command)], {
      cwd: home,
      env: { ...process.env, TMPDIR: home, HOME: home },
    });
    try {
      await expect
        .poll(async () => (await workers()).filter((id) => !known.includes(id)).length, {
          timeout: 60_000,
        })
        .toBeGreaterThan(0);
    } finally {
      await ended(child);
    }
  }
});

const workers = async (): Promise<string[]> => {
  const { items } = await (await fetch(`${grid.url}/api/v1/workers`)).json();
  return items.map(({ id }: { id: string }) => id);
};

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.on('exit', () => resolve());
    if (child.exitCode !== null) resolve();
    child.kill('SIGTERM');
  });
}

test('of the best kernel: the program, in a page with WebGPU', async () => {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      ...['--headless', '--no-sandbox', '--disable-quic', '--no-first-run'],
      ...['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'],
    ],
  });
  try {
    const page = await browser.newPage();
    await page.goto(`${grid.url}/best?op=matmul&m=1024&n=1024&k=1024`);
    const program = await page.locator('main code', { hasText: 'requestAdapter' }).textContent();
    const first = await page.evaluate(`(async () => {
      ${program};
      return new Float32Array(output)[0];
    })()`);
    expect(first).toBe(1024);
  } finally {
    await browser.close();
  }
});
