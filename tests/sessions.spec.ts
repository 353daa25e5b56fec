import { readFile } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Page } from '@playwright/test';
import { test } from './fixtures';
import type { Grid } from './grid';

/** What opens, replaces and ends a session, and how the built site names what goes wrong. */

let grid: Grid;
let elsewhere: Server;

test.describe.configure({ mode: 'serial' });

test.beforeAll(async ({ makeGrid }) => {
  grid = await makeGrid(['--no-worker'], { TILEMARK_LIMIT_LOGIN: '1' });
  // Another site, with a link to this one.
  elsewhere = createServer((asked, answer) => {
    const to = new URL(asked.url ?? '/', 'http://elsewhere.test').searchParams.get('to') ?? '';
    answer.setHeader('Content-Type', 'text/html');
    answer.end(`<!doctype html><a href="${to.replaceAll('&', '&amp;')}">free GPUs</a>`);
  });
  await new Promise<void>((resolve) => {
    elsewhere.listen(0, '127.0.0.1', resolve);
  });
});

test.afterAll(async () => {
  elsewhere?.close();
  await grid?.stop();
});

const api = (path: string, token: string, body: unknown) =>
  fetch(`${grid.url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function makeToken(name: string): Promise<string> {
  const answer = await api('/tokens', grid.adminToken, { name, role: 'member' });
  return (await answer.json()).secret;
}

const whoIs = async (page: Page) => {
  await page.goto(`${grid.url}/login`);
  const text = page.getByText(/You are logged in as/);
  return (await text.count()) > 0 ? text.textContent() : null;
};

const followFrom = async (page: Page, to: string) => {
  const { port } = elsewhere.address() as AddressInfo;
  await page.goto(`http://127.0.0.1:${port}/?${new URLSearchParams({ to })}`);
  await page.getByRole('link', { name: 'free GPUs' }).click();
};

test('the printed link logs in at once, and a link elsewhere asks before it does', async ({
  page,
}) => {
  await page.goto(grid.printedUrl);
  expect(await whoIs(page)).toMatch(/\(admin\)/);
  const link = `${grid.url}/login?token=${await makeToken('Eve')}&next=/operate`;
  await followFrom(page, link);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Log in with this link?');
  expect(await whoIs(page)).toMatch(/\(admin\)/);
  await followFrom(page, link);
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page).toHaveURL(`${grid.url}/operate`);
  expect(await whoIs(page)).toMatch(/Eve \(member\)/);
});

test('a copy of a cookie opens nothing once its session was logged out', async ({
  context,
  page,
}) => {
  await page.goto(grid.loginUrl);
  const cookies = await context.cookies();
  await page.getByRole('button', { name: 'Log out' }).click();
  await expect(page.getByRole('link', { name: 'Log in' })).toBeVisible();
  await context.addCookies(cookies);
  expect(await whoIs(page)).toBeNull();
});

test('the right token logs in where wrong ones were tried too often', async ({ page }) => {
  const attempt = (token: string) =>
    fetch(`${grid.url}/login/token?token=${token}`, { redirect: 'manual' });
  expect((await attempt('tm_admin_wrong')).status).toBe(303);
  expect((await attempt('tm_admin_wrong')).status).toBe(429);
  await page.goto(grid.loginUrl);
  expect(await whoIs(page)).toMatch(/\(admin\)/);
});

test('every answer has the headers that browsers are told to be careful by', async () => {
  for (const path of ['/', '/nothing', '/icon.svg', '/api/v1/health', '/api/v1/nothing']) {
    for (const method of ['GET', 'HEAD']) {
      const answer = await fetch(`${grid.url}${path}`, { method });
      expect(answer.headers.get('x-frame-options'), `${method} ${path}`).toBe('DENY');
      expect(answer.status, `${method} ${path}`).toBe(path.includes('nothing') ? 404 : 200);
    }
  }
});

test('the eleventh version of an hour and TRACE have answers of their own', async () => {
  const member = await makeToken('Prolific');
  const file = new URL('../examples/kernels/gpu-cpp.wgsl', import.meta.url);
  const source = await readFile(file, 'utf8');
  const statuses: number[] = [];
  for (let n = 0; n < 11; n++) {
    const answer = await api('/kernels', member, {
      source: source.replace('"gpu-cpp"', `"kernel-${n}"`),
    });
    statuses.push(answer.status);
  }
  expect(statuses).toEqual([...Array(10).fill(201), 429]);
  const traced = await new Promise((resolve, reject) => {
    const sent = request(grid.url, { method: 'TRACE' }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject).end();
  });
  expect(traced).toBe(405);
});
