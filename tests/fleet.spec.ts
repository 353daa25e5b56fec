import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { type Browser, expect, type Page } from '@playwright/test';
import { violations } from './axe';
import { test } from './fixtures';
import type { Grid } from './grid';

/** What admins look after: the fleet and tokens. */

let grid: Grid;

test.describe.configure({ mode: 'serial' });

test.beforeAll(async ({ makeGrid }) => {
  grid = await makeGrid();
  await attach();
});

test.afterAll(() => grid?.stop());

async function api(path: string, token: string, body?: unknown) {
  const answer = await fetch(`${grid.url}/api/v1${path}`, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Tilemark-Protocol': '2',
    },
  });
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return answer.json();
}

const adminToken = () => grid.adminToken;
const makeToken = async (role: string): Promise<string> =>
  (await api('/tokens', adminToken(), { name: `test ${role}`, role, trusted: true })).secret;

/** A worker as the grid knows it once it is attached; no process stands behind it. */
async function attach(host = 'bench'): Promise<void> {
  const { version } = await api('/health', adminToken());
  await api('/workers', await makeToken('worker'), {
    version,
    name: `${host}: Anvil 9000`,
    host,
    instance: randomUUID(),
    identity: {
      vendor: 'acme',
      architecture: 'anvil',
      device: 'Anvil 9000',
      backend: 'vulkan',
      runtime: 'dawn',
      class: 'gpu',
    },
    capabilities: {
      features: ['timestamp-query'],
      maxComputeInvocationsPerWorkgroup: 1024,
      maxComputeWorkgroupSizeX: 1024,
      maxComputeWorkgroupSizeY: 1024,
      maxComputeWorkgroupSizeZ: 64,
      maxComputeWorkgroupStorageSize: 32_768,
      maxComputeWorkgroupsPerDimension: 65_535,
      maxStorageBufferBindingSize: 2 ** 30,
      maxBufferSize: 2 ** 30,
    },
    at: new Date().toISOString(),
  });
}

async function loggedIn(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage();
  await page.goto(grid.loginUrl);
  return page;
}

test('an admin drains, resumes and revokes a worker', async ({ browser }) => {
  const page = await loggedIn(browser);
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto(`${grid.url}/operate`);
  const row = page.getByRole('row', { name: /^bench.*Anvil 9000/ });
  await row.getByRole('button', { name: 'Drain' }).click();
  await expect(row.getByRole('button', { name: 'Resume' })).toBeVisible();
  // No process stands behind it, so it never gets there.
  await expect(row).toContainText('draining…');
  // Its runs wait, and nobody takes them.
  const queue = page.getByRole('table', { name: 'Queues by device' });
  await expect(queue.getByRole('row', { name: /Anvil 9000/ })).toContainText(/no\sworker/);
  await row.getByRole('button', { name: 'Pause' }).click();
  await expect(row).toContainText('pausing…');
  await row.getByRole('button', { name: 'Resume' }).click();
  await expect(row.getByRole('button', { name: 'Drain' })).toBeVisible();
  await row.getByRole('button', { name: 'Revoke' }).click();
  await expect(row).toHaveCount(0);
  await expect(queue.getByRole('row', { name: /Anvil 9000/ })).toContainText('0 of 0');
  await page.context().close();
});

test('a sweep says that its device has no worker', async ({ browser }) => {
  const page = await loggedIn(browser);
  const { items } = await api('/sweeps', adminToken());
  await page.goto(`${grid.url}/sweeps/${items[0].id}`);
  await expect(page.getByText('no worker takes them now')).toBeVisible();
  await page.context().close();
});

test('an admin makes a token that expires, and revokes it', async ({ browser }) => {
  const page = await loggedIn(browser);
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto(`${grid.url}/operate/tokens`);
  const form = page.getByRole('form', { name: 'Create a token' });
  await form.getByLabel('Name').fill('Grace');
  await form.getByLabel('Valid for').selectOption('7 days');
  await form.getByRole('button', { name: 'Create token' }).click();
  const secret = await page.locator('code', { hasText: /^tm_member_/ }).textContent();
  const row = page.getByRole('row', { name: /Grace/ });
  await expect(row).toContainText('valid');
  await row.getByRole('button', { name: 'Revoke' }).click();
  await expect(row).toContainText('revoked');
  const asked = await fetch(`${grid.url}/api/v1/tokens`, {
    headers: { Authorization: `Bearer ${secret}` },
  });
  expect(asked.status).toBe(401);
  await page.context().close();
});

test('two machines of one device are told apart, by machine and by token', async ({ browser }) => {
  const page = await loggedIn(browser);
  await attach('second');
  await attach('third');
  await page.goto(`${grid.url}/operate`);
  for (const host of ['second', 'third']) {
    await expect(
      page.getByRole('rowheader', { name: new RegExp(`^${host}\\s*token`) }).first(),
    ).toBeVisible();
  }
  await page.context().close();
});

test('the page of workers shows what waits for a device', async ({ browser }) => {
  const admin = await loggedIn(browser);
  await admin.goto(`${grid.url}/operate`);
  const queues = admin.getByRole('table', { name: 'Queues by device' });
  const row = queues.getByRole('row', { name: /^Anvil 9000/ });
  await expect(row).toContainText(/\d of \d/);
  await expect(row.getByRole('cell').nth(1)).toHaveText(/^[1-9]/);
  await admin.context().close();
});

test('a member is told that tokens are for admins', async ({ page }) => {
  await page.goto(`${grid.url}/login?token=${await makeToken('member')}`);
  await page.goto(`${grid.url}/operate/tokens`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This page is for admins');
  await page.goto(`${grid.url}/operate`);
  await expect(page.getByRole('columnheader', { name: 'Actions' })).toHaveCount(0);
});

test('attach and see: a token, a command, and the machine is there', async ({ page }) => {
  await page.goto(grid.loginUrl);
  await page.goto(`${grid.url}/add`);
  await page.getByRole('textbox', { name: 'Machine' }).fill('lab machine');
  await page.getByRole('button', { name: 'Create token' }).click();
  await expect(page.getByText('The commands contain the token for lab machine.')).toBeVisible();
  const shown = page.locator('code', { hasText: /^TILEMARK_TOKEN=tm_worker_[\w-]+ npx -y / });
  const command = (await shown.first().textContent()) ?? '';
  // Without npx and the address of the package, whose command is `worker`.
  const [, token = '', flags = ''] = /^TILEMARK_TOKEN=(\S+) npx -y \S+ (.*)$/.exec(command) ?? [];
  const args = ['worker', ...flags.split(' ')];
  const cli = new URL('../apps/worker/bin/tilemark.mjs', import.meta.url).pathname;
  const worker = spawn(process.execPath, [cli, ...args], {
    stdio: 'ignore',
    env: { ...process.env, TILEMARK_TOKEN: token },
  });
  const ended = new Promise<number | null>((resolve) => worker.on('close', resolve));
  try {
    await page.getByRole('main').getByRole('link', { name: 'workers', exact: true }).click();
    // The page hears of it: nothing reloads it.
    const arrived = page
      .getByRole('table', { name: 'Workers' })
      .getByRole('row', { name: /llvmpipe/ });
    await expect(arrived).toBeVisible({ timeout: 60_000 });
    await arrived.getByRole('link', { name: /llvmpipe/ }).click();
    await expect(page.getByRole('heading', { name: 'Capabilities' })).toBeVisible();
    await page.goto(`${grid.url}/sweeps`);
    await expect(page.getByRole('row', { name: /starter/ }).first()).toBeVisible();
  } finally {
    worker.kill('SIGINT');
  }
  expect(await ended).toBe(0);
});

// The example grid of all-pages.spec.ts has no worker to show.
test('the page of an attached worker is accessible in both schemes and as wide as the screen', {
  tag: '@full',
}, async ({ browser }) => {
  await attach();
  const page = await loggedIn(browser, {});
  await page.goto(`${grid.url}/operate`);
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    expect.soft(await violations(page), `${width}`).toEqual([]);
    // The body's width leaves out the scroll bar's gutter.
    const excess = await page.evaluate(
      () => document.documentElement.scrollWidth - document.body.clientWidth,
    );
    expect.soft(excess, `${width} scrolls sideways`).toBe(0);
  }
  await page.context().close();
});
