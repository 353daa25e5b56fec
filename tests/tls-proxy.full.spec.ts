import { request } from 'node:https';
import { expect } from '@playwright/test';
import { test } from './fixtures';
import type { Grid } from './grid';
import { startTlsProxy, type TlsProxy } from './tls-proxy';

/** The site behind a proxy that terminates TLS, as docs/operate.md says to put it. */

const PER_MINUTE = 12;

let grid: Grid;
let proxy: TlsProxy;

test.describe.configure({ mode: 'serial' });
test.use({ ignoreHTTPSErrors: true });

test.beforeAll(async ({ makeGrid }) => {
  grid = await makeGrid(['--no-worker'], {
    TILEMARK_PROXY: '1',
    TILEMARK_LIMIT_LOGIN: String(PER_MINUTE),
  });
  proxy = await startTlsProxy(grid.url);
});

test.afterAll(async () => {
  await proxy?.stop();
  await grid?.stop();
});

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The client's own address, on loopback. */
  readonly from?: string;
}

const ask = (path: string, { body, from = '127.0.0.1', headers = {}, method = 'GET' }: Asked) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    const { port } = new URL(proxy.url);
    const sent = request(
      {
        ...{ host: '127.0.0.1', port, path, method, localAddress: from },
        headers: { ...headers, host: `localhost:${port}` },
        rejectUnauthorized: false,
      },
      (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: text }));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });

const token = () => grid.adminToken;

test('its session is for TLS only, and the attach command has the address that the reader sees', async ({
  context,
  page,
}) => {
  await page.goto(`${proxy.url}/login`);
  await page.getByLabel('Token').fill(token());
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page.getByRole('button', { name: 'Log out' })).toBeVisible();
  const session = (await context.cookies()).find(({ name }) => name === 'tilemark-session');
  expect(session).toMatchObject({ secure: true, httpOnly: true, sameSite: 'Lax' });

  await page.goto(`${proxy.url}/add`);
  await page.getByRole('textbox', { name: 'Machine' }).fill('lab');
  // A write by session: it has to come from this origin.
  await page.getByRole('button', { name: 'Create token' }).click();
  const command = page.locator('code', { hasText: /npx -y/ }).first();
  await expect(command).toContainText(
    new RegExp(
      `^TILEMARK_TOKEN=tm_worker_[\\w-]+ npx -y ${proxy.url}/worker.tgz --server ${proxy.url}$`,
    ),
  );
});

test('writes from another origin are refused, also of browsers without Sec-Fetch-Site', async ({
  context,
  page,
}) => {
  await page.goto(`${proxy.url}/login?token=${token()}`);
  const cookies = (await context.cookies()).map(({ name, value }) => `${name}=${value}`);
  const write = (headers: Record<string, string>) =>
    ask('/api/v1/tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: cookies.join('; '), ...headers },
      body: JSON.stringify({ name: 'x', role: 'member' }),
    });
  const own = { origin: proxy.url };
  expect((await write(own)).status).toBe(201);
  expect((await write({ origin: grid.url })).status).toBe(403);
  expect((await write({ origin: 'https://elsewhere.example' })).status).toBe(403);
  expect((await write({ ...own, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect((await write({})).status).toBe(403);
});

test('a worker of another protocol is told the address that it knows', async () => {
  const { status, body } = await ask('/api/v1/workers', {
    method: 'POST',
    headers: { authorization: `Bearer ${token()}`, 'content-type': 'application/json' },
    body: '{}',
  });
  expect(status).toBe(409);
  expect(body).toContain(`--server ${proxy.url}`);
});

test('attempts to log in are counted by the address of the client, not of the proxy', async () => {
  const attempt = (from: string) =>
    ask('/login/token?token=tm_admin_wrong', {
      from,
      // The client's own is written over.
      headers: { 'x-forwarded-for': `10.0.0.${Math.ceil(Math.random() * 250)}` },
    });
  for (let n = 0; n < PER_MINUTE; n++) expect((await attempt('127.0.0.2')).status).toBe(303);
  expect((await attempt('127.0.0.2')).status).toBe(429);
  expect((await attempt('127.0.0.3')).status).toBe(303);
});
