import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { emptyDataFolder, type Grid, startGrid } from './grid';
import { cancelStarters } from './starters';

/** The whole chain as a user meets it: start, log in, submit, watch, read the board, restart. */

let grid: Grid;
let folder: Awaited<ReturnType<typeof emptyDataFolder>>;

test.describe.configure({ mode: 'serial', timeout: 240_000 });

test.beforeAll(async () => {
  folder = await emptyDataFolder();
  grid = await startGrid(folder.dataDir);
  await cancelStarters(grid);
});

test.afterAll(async () => {
  await grid?.stop();
  await folder?.remove();
});

/** Whether a worker of a device with this name is attached. */
async function attached(name: RegExp): Promise<boolean> {
  const { items } = await (await fetch(`${grid.url}/api/v1/workers`)).json();
  return items.some((worker: { device: { name: string } }) => name.test(worker.device.name));
}

interface SweepItem {
  id: string;
  status: string;
  counts: Record<string, number>;
}

async function sweeps(): Promise<SweepItem[]> {
  return (await (await fetch(`${grid.url}/api/v1/sweeps`)).json()).items;
}

async function submit(sweep: object): Promise<SweepItem> {
  const answer = await fetch(`${grid.url}/api/v1/sweeps`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${grid.adminToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      ...{ suite: 'transpose-ladder', params: { rows: 96, cols: 128 } },
      ...sweep,
    }),
  });
  expect(answer.status, await answer.clone().text()).toBe(201);
  return answer.json();
}

/** Whether a worker has a run in hand. */
async function isAtWork(): Promise<boolean> {
  const { items } = await (await fetch(`${grid.url}/api/v1/workers`)).json();
  return items.some(({ run }: { run: unknown }) => run !== null);
}

test('a sweep submitted through the form arrives on the leaderboard', async ({ browser, page }) => {
  await expect.poll(() => attached(/llvmpipe/), { timeout: 60_000 }).toBe(true);
  await page.goto(grid.printedUrl);
  await expect(page.getByRole('button', { name: 'Log out' })).toBeVisible();
  const other = await browser.newPage();
  await other.goto(grid.printedUrl);
  await expect(other.getByRole('alert').filter({ hasText: 'used already' })).toBeVisible();
  await page.goto(`${grid.url}/sweeps/new`);
  const form = page.getByRole('form', { name: 'New sweep' });
  await form.getByLabel('Suite', { exact: true }).selectOption('layouts');
  await form.getByLabel(/^n, /).fill('65');
  await form.getByText(/^Advanced/).click();
  await form.getByLabel('Policy', { exact: true }).selectOption('smoke');
  await form.getByRole('checkbox', { name: /llvmpipe/ }).check();
  await expect(form.getByText(/^5\s*runs$/).first()).toBeVisible();
  await form.getByLabel('Name', { exact: true }).fill('Layouts at 65');
  await form.getByRole('button', { name: 'Submit sweep' }).click();

  await expect(page.getByRole('heading', { name: 'Layouts at 65' })).toBeVisible();
  // Live: nothing reloads the page but the events of the server.
  await expect(page.getByText('5 of 5 runs ended')).toBeVisible({ timeout: 120_000 });
  const table = page.getByRole('table', { name: 'Results of the sweep' });
  await expect(table.getByRole('link', { name: /^matmul\// })).toHaveCount(5);

  await page.goto(`${grid.url}/?op=matmul&dtype=f32&shape=65&profile=default`);
  const row = page.getByRole('row', { name: /llvmpipe/ });
  await expect(row).toBeVisible();
  await expect(row).toContainText(/matmul\/(naive|tiled)/);
});

test('a device is tuned from its page, which shows the best so far', async ({ page }) => {
  await expect.poll(() => attached(/llvmpipe/), { timeout: 60_000 }).toBe(true);
  await page.setViewportSize({ width: 390, height: 844 });
  const { items } = await (await fetch(`${grid.url}/api/v1/devices`)).json();
  const software = items.find((device: { class: string }) => device.class === 'software');
  const address = `${grid.url}/devices/${software.key}`;
  await page.goto(address);
  const section = page.getByRole('region', { name: 'Tune this device' });
  await expect(section.getByRole('link', { name: 'Log in' })).toBeVisible();

  await page.goto(grid.loginUrl);
  await page.goto(address);
  await expect(page.getByRole('region', { name: 'Workers of this device' })).toBeVisible();
  const shape = section.getByLabel('Shape');
  await expect(shape).toHaveAccessibleDescription(/ 2048x1024x512, or/);
  await shape.fill('0x8');
  await section.getByRole('button', { name: 'Start tuning' }).click();
  await expect(shape).toBeFocused();
  await expect(shape).toHaveAccessibleDescription(/'0x8' is not a shape of matmul/);
  // So small that no survey of a busy machine makes its times implausible.
  await shape.fill('8x7x6');
  await section.getByLabel('Minutes').fill('90');
  await section.getByRole('button', { name: 'Start tuning' }).click();
  await expect(section.getByLabel('Minutes')).toHaveAccessibleDescription(/from 1 to 60/);
  await section.getByLabel('Minutes').fill('1');
  // The least that the API takes, since the form counts in minutes.
  await page.route('**/api/v1/tunings', (route) =>
    route.continue({ postData: { ...route.request().postDataJSON(), budgetSeconds: 10 } }),
  );
  await section.getByRole('button', { name: 'Start tuning' }).click();

  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    /^Tune matrix multiply 8x7x6 f32 on/,
  );
  const search = page.getByRole('region', { name: /^What the search/ });
  await expect(search).toContainText('Variants tried');
  // Live: nothing reloads the page but the events of the server.
  const results = page.getByRole('table', { name: 'Results of the sweep' });
  await expect(results.getByRole('row', { name: /GFLOP\/s/ }).first()).toBeVisible({
    timeout: 120_000,
  });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThan(391);

  // The next tests have the worker for themselves; one that has its winner by now has ended.
  const id = new URL(page.url()).pathname.split('/').at(-1);
  const headers = { Authorization: `Bearer ${grid.adminToken}` };
  const cancelled = await fetch(`${grid.url}/api/v1/sweeps/${id}/cancel`, {
    method: 'POST',
    headers,
  });
  expect([200, 409]).toContain(cancelled.status);
});

test('a site whose port is taken says so and ends', async () => {
  const serve = fileURLToPath(new URL('../apps/web/dist/serve.mjs', import.meta.url));
  const env = { ...process.env, DATABASE_URL: '', REDIS_URL: '' };
  const second = spawn(process.execPath, [serve, String(grid.port), '127.0.0.1'], { env });
  let told = '';
  second.stderr.on('data', (chunk: Buffer) => {
    told += chunk.toString();
  });
  expect(await new Promise((resolve) => second.on('close', resolve))).toBe(1);
  expect(told).toMatch(new RegExp(`^The site cannot listen on 127.0.0.1:${grid.port}: `, 'm'));
});

test('a kill and a restart lose nothing', async () => {
  const { id, counts } = await submit({ name: 'Interrupted', policy: 'smoke' });
  const before = await sweeps();
  expect(before.find((sweep) => sweep.id === id)?.status).not.toBe('done');

  // As the machine would end: no part gets to tidy up.
  await grid.stop('SIGKILL');
  grid = await startGrid(folder.dataDir);

  expect((await sweeps()).map((sweep) => sweep.id)).toEqual(before.map((sweep) => sweep.id));
  const interrupted = async () => (await sweeps()).find((sweep) => sweep.id === id);
  await expect.poll(async () => (await interrupted())?.status, { timeout: 120_000 }).toBe('done');
  expect((await interrupted())?.counts).toMatchObject({
    total: counts.total,
    pending: 0,
    measured: counts.total,
  });
});

test('Ctrl-C ends every part, in the middle of a run', async () => {
  await submit({ name: 'In hand', policy: 'screen' });
  await expect.poll(isAtWork, { timeout: 60_000 }).toBe(true);
  expect(await grid.stop('SIGINT')).toBe(0);
  await expect(fetch(`${grid.url}/api/v1/health`)).rejects.toThrow();
});

test('a signal to npm alone ends the grid', async () => {
  const flags = ['--port', String(grid.port), '--data', folder.dataDir, '--no-worker'];
  const npm = spawn('npm', ['start', '--', ...flags], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: 'ignore',
    env: { ...process.env, DATABASE_URL: '', REDIS_URL: '' },
  });
  const answers = () =>
    fetch(`${grid.url}/api/v1/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(answers, { timeout: 120_000 }).toBe(true);
  npm.kill('SIGTERM');
  await expect.poll(answers, { timeout: 60_000 }).toBe(false);
});
