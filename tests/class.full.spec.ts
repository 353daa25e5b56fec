import { randomUUID } from 'node:crypto';
import {
  type APIRequestContext,
  type Browser,
  chromium,
  expect,
  type Page,
} from '@playwright/test';
import { test } from './fixtures';
import type { Grid } from './grid';
import { startTlsProxy, type TlsProxy } from './tls-proxy';

/** A class: thirty who join by one link over https, two of them in tabs, each under a name. */

const SEATS = 30;

let grid: Grid;
let proxy: TlsProxy;
let browser: Browser;

test.describe.configure({ timeout: 600_000 });

test.beforeAll(async ({ makeGrid }) => {
  grid = await makeGrid(['--no-worker'], { TILEMARK_PROXY: '1' });
  proxy = await startTlsProxy(grid.url);
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      ...['--headless', '--no-sandbox', '--disable-quic', '--no-first-run'],
      ...['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'],
    ],
  });
});

test.afterAll(async () => {
  await browser?.close();
  await proxy?.stop();
  await grid?.stop();
});

/** Somebody with a browser profile of their own, who accepts the certificate. */
const visitor = async (link: string): Promise<Page> => {
  const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
  await page.goto(link);
  return page;
};

const api = (path: string) => `${proxy.url}/api/v1${path}`;
const read = async (request: APIRequestContext, path: string) =>
  (await request.get(api(path))).json();

async function join(link: string, name: string): Promise<Page> {
  const page = await visitor(link);
  // SwiftShader is found: what is typed is read now.
  await expect(page.getByText('The browser computes on the CPU')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Start' })).toBeDisabled();
  await page.getByLabel('Your name').fill(name);
  await page.getByRole('button', { name: 'Start' }).click();
  await expect(page.getByRole('link', { name: 'Your device’s page' })).toBeVisible({
    timeout: 60_000,
  });
  return page;
}

/** Another student with the same GPU, as far as the grid can tell. */
async function joinAs(request: APIRequestContext, invite: string, name: string, like: object) {
  const seat = await request.post(api('/invites/redeem'), { data: { invite } });
  expect(seat.status(), await seat.text()).toBe(200);
  const { secret } = await seat.json();
  const attached = await request.post(api('/workers'), {
    headers: { authorization: `Bearer ${secret}`, 'tilemark-protocol': '2' },
    data: {
      ...like,
      ...{ name, host: 'browser', version: '0', instance: randomUUID() },
      at: new Date().toISOString(),
    },
  });
  expect(attached.status(), await attached.text()).toBe(200);
}

test('thirty join by one link over https, told apart by name on one model of GPU, and their results are one file', async () => {
  const admin = await visitor(`${proxy.url}/login?token=${grid.adminToken}`);
  const { request } = admin.context();
  await admin.goto(`${proxy.url}/add`);
  await expect(admin.getByText('Invites work over https only')).toHaveCount(0);
  await admin.getByLabel('For whom').fill('GPU course');
  await admin.getByLabel('Results decide').selectOption('yes');
  await admin.getByRole('button', { name: 'Create invite' }).click();
  const link = await admin.locator('code', { hasText: '/join#tm_invite_' }).textContent();
  expect(link).toContain(`${proxy.url}/join#`);

  const tabs = [await join(link ?? '', 'Ada'), await join(link ?? '', 'Grace')];
  const headers = { origin: proxy.url };
  for (const { id } of (await read(request, '/sweeps')).items) {
    const cancelled = await request.post(api(`/sweeps/${id}/cancel`), { headers });
    expect(cancelled.status(), await cancelled.text()).toBe(200);
  }
  const [worker] = (await read(request, '/workers')).items;
  const { capabilities, identity } = await read(request, `/devices/${worker.device.key}`);
  const invite = (link ?? '').split('#')[1] ?? '';
  for (let seat = tabs.length + 1; seat <= SEATS; seat++) {
    await joinAs(request, invite, `Student ${seat}: ${identity.runtime}`, {
      identity,
      capabilities,
    });
  }
  const late = await request.post(api('/invites/redeem'), { data: { invite } });
  expect((await late.json()).detail).toContain(`it was for ${SEATS}`);

  // One model, thirty machines, each by its name.
  await admin.goto(`${proxy.url}/devices/${encodeURIComponent(worker.device.key)}`);
  const machines = admin.getByRole('table', { name: 'Workers of this device' }).locator('tbody tr');
  await expect(machines).toHaveCount(SEATS);
  for (const name of ['Ada', 'Grace', 'Student 3', 'Student 30']) {
    await expect(machines.filter({ hasText: new RegExp(`^${name}\\b(?! \\d)`) })).toHaveCount(1);
  }

  const sweep = await request.post(api('/sweeps'), {
    data: {
      name: 'for the class',
      spec: {
        cases: [
          {
            kernel: 'matmul/naive',
            shapes: [16, 17, 18, 19, 20, 21].map((n) => ({ m: n, n, k: n })),
            dtypes: ['f32'],
          },
        ],
        ...{ policy: 'smoke', devices: [worker.device.key] },
      },
    },
    headers,
  });
  const { id } = await sweep.json();
  const counts = async () => (await read(request, `/sweeps/${id}`)).counts;
  await expect
    .poll(async () => (await counts()).pending, { timeout: 120_000, intervals: [1_000] })
    .toBe(0);
  expect(await counts()).toMatchObject({ measured: 6 });

  await admin.goto(`${proxy.url}/add`);
  const saved = admin.waitForEvent('download');
  await admin.getByRole('link', { name: 'Results of GPU course as CSV' }).click();
  const chunks: Buffer[] = [];
  for await (const chunk of await (await saved).createReadStream()) chunks.push(chunk);
  const [head = '', ...lines] = Buffer.concat(chunks).toString('utf8').trim().split('\r\n');
  const at = head.split(',').indexOf('worker');
  const measured = lines.filter((line) => line.includes(',smoke,measured,'));
  expect(measured).toHaveLength(6);
  for (const line of measured) {
    // The address of a variant is quoted, with commas.
    expect(line.replaceAll(/"[^"]*"/g, '').split(',')[at]).toMatch(/^(Ada|Grace): /);
  }
  expect((await saved).suggestedFilename()).toMatch(/^tilemark-gpu-course-[\d-]+\w{6}\.csv$/);
});
