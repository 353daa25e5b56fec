import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@playwright/test';
import type { Device, Leaderboard, ResultDetail } from '@tilemark/core';
import type { Browser, ElementHandle, Page } from 'puppeteer-core';
import { kernelTemplate } from '../../packages/core/src/contributed/template';
import { bring } from '../bring';
import { test } from '../fixtures';
import type { Grid } from '../grid';
import { DENO, openChromium, openFirefox, RUN, SWIFTSHADER } from './runtimes';

/**
 * One software device under four runtimes, Node with Dawn, Chromium, Deno, and Firefox, on one grid:
 * SwiftShader, which Chromium brings along and the others open, too.
 */

const run = promisify(execFile);

let grid: Grid;
let folder: string;
let deno: ChildProcess | undefined;
const browsers: Browser[] = [];
const env = { ...process.env, ...SWIFTSHADER };

test.describe.configure({ mode: 'serial', timeout: 600_000 });

test.beforeAll(async ({ makeGrid }) => {
  test.setTimeout(600_000);
  grid = await makeGrid();
  folder = await mkdtemp(join(tmpdir(), 'tilemark-engines-'));
});

test.afterAll(async () => {
  deno?.kill('SIGKILL');
  for (const browser of browsers) await browser.close();
  await grid?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

async function api<T>(path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${grid.url}/api/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${grid.adminToken}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(answer.ok, `${path}: ${await answer.clone().text()}`).toBe(true);
  return (answer.status === 204 ? null : await answer.json()) as T;
}

const deviceUnder = async (runtime: string): Promise<Device | undefined> =>
  (await api<{ items: Device[] }>('/devices')).items.find(
    ({ identity }) => identity.runtime === runtime,
  );

/** Once a device is known: ends what it begins with, measures a product of 33, and finds it right. */
async function measures(runtime: string): Promise<Device> {
  await expect
    .poll(async () => (await deviceUnder(runtime))?.workers, { timeout: 120_000 })
    .toBe(1);
  const device = await deviceUnder(runtime);
  if (!device) throw new Error(`No device under ${runtime}.`);
  // They begin a moment after the device is known, and one of their runs may take minutes here.
  const endSuites = async () => {
    type Sweeps = { items: { id: string; suite: string | null; status: string }[] };
    const open = (await api<Sweeps>('/sweeps')).items.filter(
      ({ suite, status }) => suite && status !== 'done' && status !== 'cancelled',
    );
    for (const { id } of open) await api(`/sweeps/${id}/cancel`, {});
    return open.length;
  };
  await expect.poll(endSuites, { timeout: 60_000 }).toBeGreaterThan(0);
  const shapes = [{ m: 33, n: 33, k: 33 }];
  const cases = [{ kernel: 'matmul/naive', shapes, dtypes: ['f32'] }];
  const spec = { cases, policy: 'smoke', devices: [device.key] };
  const { id } = await api<{ id: string }>('/sweeps', { name: runtime, spec });
  const counts = async () =>
    (await api<{ counts: Record<string, number> }>(`/sweeps/${id}`)).counts;
  await expect
    .poll(async () => (await endSuites()) + ((await counts()).pending ?? 0), {
      timeout: 240_000,
      intervals: [1_000],
    })
    .toBe(0);
  expect(await counts()).toMatchObject({ total: 1, measured: 1 });
  return device;
}

/** What timed a row of the board. */
const timerOf = async ({ resultId }: { readonly resultId: string }) => {
  const { outcome } = await api<ResultDetail>(`/results/${resultId}`);
  return outcome?.kind === 'measured' ? outcome.measurement.timer.kind : null;
};

const board = async () =>
  (await api<Leaderboard>('/leaderboard?op=matmul&dtype=f32&shape=33')).rows;

test('Node with Dawn measures the device', async () => {
  const file = join(folder, 'node.json');
  const bench = [
    ...['apps/worker/dist/main.mjs', 'bench', '--device', '0', '--policy', 'smoke'],
    ...['--kernel', 'matmul/naive', '--shape', '33', '--dtype', 'f32', '--json', file],
  ];
  await run(process.execPath, bench, { env });
  await bring(grid, JSON.parse(await readFile(file, 'utf8')));
  expect((await board()).map(({ device }) => device.runtime)).toEqual(['dawn']);
});

test('a worker of Deno, from the package that the grid serves, measures the same device', async () => {
  const served = await fetch(`${grid.url}/worker.tgz`);
  await writeFile(join(folder, 'worker.tgz'), Buffer.from(await served.arrayBuffer()));
  await run('tar', ['-xzf', 'worker.tgz'], { cwd: folder });
  const { secret } = await api<{ secret: string }>('/tokens', {
    ...{ name: 'deno', role: 'worker', trusted: true },
  });
  deno = spawn(
    DENO,
    [
      ...[...RUN, 'package/tilemark.mjs', 'worker'],
      ...['--server', grid.url, '--token', secret, '--device', '0'],
    ],
    { cwd: folder, stdio: 'ignore', env },
  );
  const device = await measures('deno');
  expect(device).toMatchObject({
    class: 'software',
    engine: 'naga',
    hardware: (await deviceUnder('dawn'))?.hardware,
  });
  expect((await board()).map((row) => row.device.runtime)).toEqual(['dawn', 'deno']);
  deno.kill('SIGTERM');
  await expect.poll(async () => (await deviceUnder('deno'))?.workers).toBe(0);
});

const textIn = (page: Page, part: string) => page.locator(`::-p-text(${part})`).wait();

/** A tab that joins by an invite, names its card as the grid has it, and measures the device. */
async function joins(browser: Browser, runtime: string): Promise<{ device: Device; page: Page }> {
  browsers.push(browser);
  const native = await deviceUnder('dawn');
  const { secret } = await api<{ secret: string }>('/invites', {
    ...{ name: 'class', seats: 1, hours: 1, trusted: true },
  });
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(`${grid.url}/join#${secret}`);
  await page.locator('#card').wait();
  const known = await page.$$eval('#cards option', (all) => all.map((one) => one.value));
  expect(known).toContain(native?.name);
  await page.locator('#card').fill(native?.name ?? '');
  await textIn(page, 'The browser computes on the CPU');
  await page.locator('#name').fill(runtime);
  await page.locator('::-p-aria([name="Start"][role="button"])').click();
  try {
    return { device: await measures(runtime), page };
  } catch (error) {
    const shown = await page.evaluate('document.body.innerText');
    throw new Error(`The tab shows: ${shown}`, { cause: error });
  }
}

async function leaves(page: Page): Promise<void> {
  await page.locator('::-p-aria([name="Leave"][role="button"])').click();
  await textIn(page, 'This tab has left');
}

test('a tab of Chromium joins, and measures the same device', async () => {
  const { device, page } = await joins(await openChromium(), 'chrome');
  const { hardware } = (await deviceUnder('dawn')) ?? {};
  expect(device).toMatchObject({ class: 'browser', engine: 'tint', hardware });
  await leaves(page);
});

test('a tab of Firefox joins, names its card, and measures the same device', async () => {
  const { device, page } = await joins(await openFirefox(SWIFTSHADER), 'firefox');
  const native = await deviceUnder('dawn');
  expect(device).toMatchObject({ class: 'browser', engine: 'naga', hardware: native?.hardware });
  const rows = await board();
  expect(new Set(rows.map((row) => row.device.runtime))).toEqual(
    new Set(['dawn', 'chrome', 'deno', 'firefox']),
  );
  expect(await Promise.all(rows.map(timerOf))).toEqual(Array(4).fill('timestamp'));
  const shown = await fetch(`${grid.url}/devices/${encodeURIComponent(native?.key ?? '')}`);
  const html = await shown.text();
  const heads = ['Node (Dawn), tint', 'Chrome, tint', 'Deno (wgpu), naga', 'Firefox, naga'];
  for (const head of heads) expect(html).toContain(head);
  await leaves(page);

  await page.goto(`${grid.url}/kernels/new`);
  const kernel = join(folder, 'here.wgsl');
  await writeFile(kernel, FEW);
  const files = await page.waitForSelector('input[type=file]');
  await (files as ElementHandle<HTMLInputElement>).uploadFile(kernel);
  await textIn(page, 'Compiles in this browser.');
  await page.locator('#try-shapes').fill('48x16x16');
  await page.locator('::-p-aria([name="Run here"][role="button"])').click();
  await page.locator('::-p-text(Right: )').setTimeout(300_000).wait();
  await textIn(page, 'naive’s speed');
});

/** Right, on few shapes. */
const FEW = kernelTemplate('here')
  .replace('[16, 8, 4]', '[8]')
  .replace('"covers"', '"requires": [{ "that": "m == 17 || m == 48" }], "covers"');
