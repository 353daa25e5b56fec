import { randomUUID } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import { benchFile } from './bench-file';
import { bring } from './bring';
import { test } from './fixtures';
import type { Grid } from './grid';

/** Names that people and machines choose contain markup: a real browser shows it as text on every page. */

/** Ends what it may stand in: an attribute, a script, a comment, a text area. */
const MARKUP = `"'></script></textarea>--><img src=x onerror=hit()>`;

let grid: Grid;

test.beforeAll(async ({ makeGrid }) => {
  grid = await makeGrid();
});

test.afterAll(() => grid?.stop());

const adminToken = (): string => grid.adminToken;

async function post<T>(path: string, body: object, token = adminToken()): Promise<T> {
  const answer = await fetch(`${grid.url}/api/v1${path}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Tilemark-Protocol': '2',
    },
    body: JSON.stringify(body),
  });
  expect(answer.ok, `${path}: ${await answer.clone().text()}`).toBe(true);
  return answer.json();
}

/** A value with every text in it that a file's writer is free to choose turned into markup. */
function withMarkup<T>(value: T, keys: readonly string[]): T {
  return JSON.parse(JSON.stringify(value), (key, part: unknown) =>
    keys.includes(key) && typeof part === 'string' ? `${part} ${MARKUP}` : part,
  );
}

/** Puts markup wherever the API takes a name: of a token, a sweep, a file's device and a worker. */
async function plant(): Promise<void> {
  const { secret } = await post<{ secret: string }>('/tokens', { name: MARKUP, role: 'admin' });
  const file = benchFile();
  const { environment } = file;
  if (!environment) throw new Error('The file contains no environment.');
  const free = ['driver', 'os', 'model', 'message', 'why', 'tilemarkVersion'];
  const { id } = await bring(grid, withMarkup(file, free), secret);
  // A device that is called so, too: its key is made of its name.
  const identity = { ...environment.device, device: MARKUP, vendor: 'other' };
  const attaching = await post<{ secret: string }>('/tokens', {
    name: MARKUP,
    role: 'worker',
    trusted: true,
  });
  const { version } = await (await fetch(`${grid.url}/api/v1/health`)).json();
  const { deviceKey } = await post<{ deviceKey: string }>(
    '/workers',
    {
      version,
      name: MARKUP,
      host: MARKUP,
      instance: randomUUID(),
      identity,
      capabilities: environment.capabilities,
      at: new Date().toISOString(),
    },
    attaching.secret,
  );
  const { items } = await (await fetch(`${grid.url}/api/v1/sweeps/${id}/results`)).json();
  const spec = {
    cases: [{ kernel: 'matmul/naive', shapes: [{ m: 64, n: 64, k: 64 }] }],
    devices: [deviceKey, items[0].device.key],
  };
  await post('/sweeps', { name: MARKUP, spec }, secret);
}

/** Results, sweeps and devices have a page each. */
const PAGES_OF_A_KIND = 4;

/** Pages that no other links to. */
const UNLINKED = ['/login', '/nothing/here', `/?shape=${MARKUP}`];

/** Paths of the site's own pages that a page links to; the primers show nothing that people name. */
async function linksOf(page: Page): Promise<string[]> {
  const hrefs = await page
    .locator('a[href]')
    .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
  return hrefs
    .filter((href) => href.startsWith(`${grid.url}/`))
    .map((href) => new URL(href))
    .filter(({ pathname }) => !/^\/(api|docs|logout|metrics|worker\.tgz)/.test(pathname))
    .map(({ pathname, search }) => pathname + search);
}

test('markup in names is text on every page', async ({ page }) => {
  await plant();
  const hits: string[] = [];
  await page.exposeFunction('hit', () => hits.push(page.url()));
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith('/x')) hits.push(`${page.url()} asked for x`);
  });
  await page.goto(grid.loginUrl);

  const shown = new Set<string>();
  const waiting = ['/', ...UNLINKED];
  const visited = new Map<string, Set<string>>();
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const { pathname } = new URL(path, grid.url);
    const kind = pathname.replace(/^(\/[^/]+\/).+/, '$1');
    const alike = visited.get(kind) ?? new Set();
    visited.set(kind, alike);
    // What differs by its query alone is drawn by the same code.
    const place = UNLINKED.includes(path) ? path : pathname;
    if (alike.size >= PAGES_OF_A_KIND || alike.has(place)) continue;
    alike.add(place);
    await page.goto(`${grid.url}${path}`);
    await expect(page.getByText('Drawing …')).toHaveCount(0);
    expect.soft(await page.locator('img[src="x"]').count(), path).toBe(0);
    if ((await page.getByText('<img src=x').count()) > 0) shown.add(pathname);
    waiting.push(...(await linksOf(page)));
  }
  expect(hits).toEqual([]);
  // They were there to be shown.
  for (const path of ['/sweeps', '/operate/tokens', '/operate', '/devices']) {
    expect.soft([...shown], path).toContain(path);
  }
  expect([...shown].some((path) => /^\/sweeps\/./.test(path))).toBe(true);
  expect([...shown].some((path) => /^\/results\/./.test(path))).toBe(true);
});
