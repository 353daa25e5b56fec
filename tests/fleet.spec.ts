import { randomUUID } from 'node:crypto';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, expect, type Page, test } from '@playwright/test';
import { emptyDataFolder, type Grid, startGrid } from './grid';

/** What admins look after: the fleet, tokens, coverage, and who did what. */

let grid: Grid;
let folder: Awaited<ReturnType<typeof emptyDataFolder>>;

test.describe.configure({ mode: 'serial' });

test.beforeAll(async () => {
  test.setTimeout(300_000);
  folder = await emptyDataFolder();
  grid = await startGrid(folder.dataDir, ['--no-worker']);
  await enrol();
});

test.afterAll(async () => {
  await grid?.stop('SIGINT');
  await folder?.remove();
});

async function api(path: string, token: string, body?: unknown) {
  const answer = await fetch(`${grid.url}/api/v1${path}`, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
  });
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return answer.json();
}

const adminToken = () => new URL(grid.loginUrl).searchParams.get('token') ?? '';
const makeToken = async (role: string): Promise<string> =>
  (await api('/tokens', adminToken(), { name: `test ${role}`, role })).secret;

/** A worker as the grid knows it once it has enrolled; no process stands behind it. */
async function enrol(): Promise<void> {
  const { version } = await api('/health', adminToken());
  await api('/workers/enroll', await makeToken('worker'), {
    version,
    name: 'bench: Anvil 9000',
    host: 'bench',
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

test('an admin drains, resumes and revokes a worker, and the audit list tells', async ({
  browser,
}) => {
  const page = await loggedIn(browser);
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto(`${grid.url}/workers`);
  const row = page.getByRole('row', { name: /Anvil 9000/ });
  await expect(row).toContainText('bench');
  await row.getByRole('button', { name: 'Drain' }).click();
  await expect(row.getByRole('button', { name: 'Resume' })).toBeVisible();
  // Its runs wait, and nobody takes them.
  await expect(page.getByText('has no worker that takes runs')).toBeVisible();
  await row.getByRole('button', { name: 'Resume' }).click();
  await expect(row.getByRole('button', { name: 'Drain' })).toBeVisible();
  await row.getByRole('button', { name: 'Revoke' }).click();
  await expect(row).toHaveCount(0);
  await expect(page.getByText('has no worker:')).toBeVisible();

  await page.goto(`${grid.url}/audit`);
  for (const did of ['enrolled', 'drained', 'resumed', 'revoked']) {
    await expect(page.getByRole('row', { name: new RegExp(`${did} a worker`) })).toBeVisible();
  }
  await page.getByLabel('Did what').selectOption('drainWorker');
  await expect(page).toHaveURL(/action=drainWorker/);
  await expect(page.getByRole('row')).toHaveCount(2);
  await page.context().close();
});

test('a sweep says that its device has no worker', async ({ browser }) => {
  const page = await loggedIn(browser);
  const { items } = await api('/sweeps', adminToken());
  await page.goto(`${grid.url}/sweeps/${items[0].id}`);
  await expect(page.getByText('has no worker:')).toBeVisible();
  await page.context().close();
});

test('an admin makes a token that expires, and revokes it', async ({ browser }) => {
  const page = await loggedIn(browser);
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto(`${grid.url}/tokens`);
  const form = page.getByRole('form', { name: 'Make a token' });
  await form.getByLabel('For whom').fill('Grace');
  await form.getByLabel('Valid for').selectOption('7 days');
  await form.getByRole('button', { name: 'Make token' }).click();
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

test('the coverage page shows what a device has still to run', async ({ browser }) => {
  const page = await loggedIn(browser);
  await page.goto(`${grid.url}/coverage`);
  const row = page.getByRole('row', { name: /Anvil 9000/ });
  await expect(row).toContainText('5 running');
  await expect(page.getByRole('button', { name: 'Nothing is stale' })).toBeDisabled();
  await page.context().close();
});

test('a member is told that tokens and the audit list are for admins', async ({ page }) => {
  await page.goto(`${grid.url}/login?token=${await makeToken('member')}`);
  for (const path of ['/tokens', '/audit']) {
    await page.goto(`${grid.url}${path}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('This page is for admins');
  }
  await page.goto(`${grid.url}/workers`);
  await expect(page.getByRole('columnheader', { name: 'Actions' })).toHaveCount(0);
});

for (const [colorScheme, width] of [
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
  ['dark', 390],
] as const) {
  test(`the pages are accessible and as wide as the screen: ${colorScheme}, ${width}`, async ({
    browser,
  }) => {
    await enrol();
    const page = await loggedIn(browser, { colorScheme, viewport: { width, height: 844 } });
    for (const path of ['/workers', '/tokens', '/audit', '/coverage']) {
      await page.goto(`${grid.url}${path}`);
      const { violations } = await new AxeBuilder({ page }).analyze();
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
      expect.soft(found, path).toEqual([]);
      // The body's width leaves out the scroll bar's gutter.
      const excess = await page.evaluate(
        () => document.documentElement.scrollWidth - document.body.clientWidth,
      );
      expect.soft(excess, `${path} scrolls sideways`).toBe(0);
    }
    await page.context().close();
  });
}
