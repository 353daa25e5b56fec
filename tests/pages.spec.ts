import { readdir } from 'node:fs/promises';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';
import { benchFile } from './bench-file';
import { emptyDataFolder, type Grid, startGrid } from './grid';

/** Every page, with results of every outcome on it: accessible, in both schemes, on a phone too. */

let grid: Grid;
let folder: Awaited<ReturnType<typeof emptyDataFolder>>;
let pages: Record<string, string>;

test.describe.configure({ mode: 'serial' });

test.beforeAll(async () => {
  test.setTimeout(300_000);
  folder = await emptyDataFolder();
  // Without a worker: nothing changes under the tests.
  grid = await startGrid(folder.dataDir, ['--no-worker']);
  pages = await addresses(await importResults());
});

test.afterAll(async () => {
  await grid?.stop('SIGINT');
  await folder?.remove();
});

/** Brings the fixture in; returns the id of its sweep. */
async function importResults(): Promise<string> {
  const answer = await fetch(`${grid.url}/api/v1/results/import`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${new URL(grid.loginUrl).searchParams.get('token')}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify(benchFile()),
  });
  expect(answer.status, await answer.clone().text()).toBe(201);
  return (await answer.json()).id;
}

interface Item {
  readonly resultId: string;
  readonly outcome: { readonly kind: string };
  readonly device: { readonly key: string };
}

/** Every page by name, with what the grid holds in the addresses. */
async function addresses(sweep: string): Promise<Record<string, string>> {
  const answer = await fetch(`${grid.url}/api/v1/sweeps/${sweep}/results`);
  const { items }: { items: Item[] } = await answer.json();
  const idOf = (kind: string) => items.find(({ outcome }) => outcome.kind === kind)?.resultId;
  const [first, second] = items;
  return {
    leaderboard: '/',
    'empty leaderboard': '/?dtype=f16',
    sweeps: '/sweeps',
    sweep: `/sweeps/${sweep}`,
    'new sweep': '/sweeps/new',
    'copied sweep': `/sweeps/new?sweep=${sweep}`,
    result: `/results/${idOf('measured')}`,
    'skipped result': `/results/${idOf('skipped')}`,
    'incorrect result': `/results/${idOf('incorrect')}`,
    'failed result': `/results/${idOf('failed')}`,
    compare: `/compare?a=${first?.resultId}&b=${second?.resultId}`,
    'nothing to compare': '/compare',
    'half a comparison': `/compare?a=${first?.resultId}`,
    kernels: '/kernels',
    kernel: '/kernels/matmul/tiled',
    devices: '/devices',
    device: `/devices/${encodeURIComponent(first?.device.key ?? '')}`,
    workers: '/workers',
    login: '/login',
    docs: '/docs',
    primer: '/docs/measurement',
    api: '/api',
    'not found': '/nothing/here',
    refused: '/?op=conv&shape=%3Cb%3E&profile=slow',
  };
}

/** Opens a page and waits until its charts are drawn. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${grid.url}${path}`);
  await expect(page.getByText('Drawing …')).toHaveCount(0);
}

for (const [colorScheme, width] of [
  ['light', 1280],
  ['dark', 390],
] as const) {
  test(`every page is accessible, clean and as wide as the screen: ${colorScheme}, ${width}`, async ({
    browser,
  }) => {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 844 } });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      // The browser itself reports the 400 and the 404 that are asked for.
      if (message.type() === 'error' && !/40[04]/.test(message.text())) {
        errors.push(`${page.url()}: ${message.text()}`);
      }
    });
    await page.goto(grid.loginUrl);
    for (const [name, path] of Object.entries(pages)) {
      await open(page, path);
      const { violations } = await new AxeBuilder({ page }).analyze();
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
      expect.soft(found, name).toEqual([]);
      // The body's width leaves out the scroll bar's gutter.
      const excess = await page.evaluate(
        () => document.documentElement.scrollWidth - document.body.clientWidth,
      );
      expect.soft(excess, `${name} scrolls sideways`).toBe(0);
    }
    expect(errors).toEqual([]);
    await context.close();
  });
}

test('a wrong address is answered with a page that says so', async ({ page }) => {
  const missing = ['/nothing', '/sweeps/none', '/results/none', '/devices/none', '/docs/none'];
  for (const path of [...missing, '/kernels/matmul/none', '/compare?a=none&b=none']) {
    const answer = await page.goto(`${grid.url}${path}`);
    expect.soft(answer?.status(), path).toBe(404);
    await expect.soft(page.getByRole('heading', { level: 1 }), path).toContainText('nothing at');
  }
  const junk = `/?op=conv&shape=${'9'.repeat(5_000)}&profile=%3Cscript%3E`;
  const answer = await page.goto(`${grid.url}${junk}`);
  expect(answer?.status()).toBe(400);
  await expect(page.getByText('op cannot be “conv”')).toBeVisible();
  expect((await page.goto(`${grid.url}/sweeps/%E0%A4`))?.status()).toBe(400);
});

test('the docs hold every primer of the repository', async ({ page }) => {
  const files = await readdir(new URL('../docs/', import.meta.url));
  await page.goto(`${grid.url}/docs`);
  for (const file of files.filter((each) => each.endsWith('.md'))) {
    const link = page.locator(`main a[href="/docs/${file.replace('.md', '')}"]`);
    await expect(link.first()).toBeVisible();
  }
  await page.goto(`${grid.url}/docs/measurement`);
  await page.getByRole('link', { name: 'tolerance' }).first().click();
  await expect(page).toHaveURL(/\/docs\/tolerance$/);
});

test('a chart is downloaded as SVG and as PNG', async ({ page }) => {
  await open(page, pages.sweep ?? '');
  for (const [type, start] of [
    ['SVG', '<svg'],
    ['PNG', '\x89PNG'],
  ] as const) {
    const download = page.waitForEvent('download');
    await page
      .getByRole('button', { name: `Download ${type}` })
      .first()
      .click();
    const chunks: Buffer[] = [];
    for await (const chunk of await (await download).createReadStream()) chunks.push(chunk);
    const file = Buffer.concat(chunks).toString('latin1');
    expect(file.slice(0, start.length)).toBe(start);
    expect(file).not.toContain('var(--');
  }
});
