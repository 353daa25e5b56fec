import { randomUUID } from 'node:crypto';
import {
  type APIRequestContext,
  type Browser,
  chromium,
  expect,
  type Page,
} from '@playwright/test';
import { kernelTemplate } from '../packages/core/src/contributed/template';
import { violations } from './axe';
import { test } from './fixtures';
import type { Grid } from './grid';
import { startTlsProxy, type TlsProxy } from './tls-proxy';

/**
 * A class: thirty who join by one link over https, two of them in tabs, each under a name; and students who
 * hand kernels in.
 */

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

/** The link of the class that the page has just made. */
async function linkOn(admin: Page): Promise<string> {
  await expect(admin.getByRole('img', { name: 'The link as a QR code' })).toBeVisible();
  return (await admin.locator('code', { hasText: '/join#tm_invite_' }).textContent()) ?? '';
}

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
  await admin.getByRole('textbox', { name: 'Class' }).fill('GPU course');
  await admin.getByLabel('Results decide').selectOption('yes');
  await admin.getByRole('button', { name: 'Make class' }).click();
  const link = await linkOn(admin);
  expect(link).toContain(`${proxy.url}/join#`);

  const tabs = [await join(link, 'Ada'), await join(link, 'Grace')];
  const headers = { origin: proxy.url };
  for (const { id } of (await read(request, '/sweeps')).items) {
    const cancelled = await request.post(api(`/sweeps/${id}/cancel`), { headers });
    expect(cancelled.status(), await cancelled.text()).toBe(200);
  }
  const [worker] = (await read(request, '/workers')).items;
  const { capabilities, identity } = await read(request, `/devices/${worker.device.key}`);
  const invite = link.split('#')[1] ?? '';
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

  const file = await request.get(api(`/sweeps/${id}/results?format=csv`));
  const [head = '', ...lines] = (await file.text()).trim().split('\r\n');
  const at = head.split(',').indexOf('worker');
  expect(lines).toHaveLength(6);
  for (const line of lines) {
    // The address of a variant is quoted, with commas.
    expect(line.replaceAll(/"[^"]*"/g, '').split(',')[at]).toMatch(/^(Ada|Grace): /);
  }
  await admin.context().close();
  for (const tab of tabs) await tab.context().close();
});

/** Few shapes and one block, for SwiftShader. */
const RIGHT = kernelTemplate('mine')
  .replace('[16, 8, 4]', '[8]')
  .replace('"covers"', '"requires": [{ "that": "m == 17 || m == 48" }], "covers"');

test('a class is made by a form, its students hand kernels in, and its page shows each over their own naive', async () => {
  const teacher = await visitor(`${proxy.url}/login?token=${grid.adminToken}`);
  await teacher.goto(`${proxy.url}/add`);
  await teacher.getByRole('textbox', { name: 'Class' }).fill('Kernels');
  await teacher.getByLabel('Seats').fill('2');
  const asked = teacher.getByLabel('Kernels asked');
  await asked.fill('conv 3');
  await teacher.getByRole('button', { name: 'Make class' }).click();
  await expect(teacher.getByText("There is no op 'conv'. Ops: matmul, transpose.")).toBeVisible();
  await asked.fill('matmul 48x16x16, transpose 32');
  // Until the page of the class is there, no second click makes another.
  await teacher.route(
    '**/classes/*',
    async (route) => {
      await expect(teacher.getByRole('button', { name: 'Making…' })).toBeDisabled();
      await route.continue();
    },
    { times: 1 },
  );
  await teacher.getByRole('button', { name: 'Make class' }).click();
  const link = await linkOn(teacher);
  await expect(teacher.getByText('Nobody has joined yet.')).toBeVisible();

  const joinAndWrite = async (name: string) => {
    const page = await visitor(link);
    await page.getByLabel('Your name').fill(name);
    await page.getByRole('button', { name: 'Hand in a kernel' }).click();
    return page;
  };
  const handIn = async (page: Page, text: string) => {
    const file = { name: 'mine.wgsl', mimeType: 'text/plain', buffer: Buffer.from(text) };
    await page.locator('input[type=file]').setInputFiles(file);
    await expect(page.locator('#findings')).toHaveText('Compiles in this browser.');
    await page.getByRole('button', { name: 'Hand in for matmul 48x16x16 f32' }).click();
    await expect(page.getByText('Handed in for matmul 48x16x16 f32.')).toBeVisible({
      timeout: 400_000,
    });
  };
  const ada = await joinAndWrite('Ada');
  await handIn(ada, RIGHT);
  await expect(ada.getByText(/^Right: (\d+) of \1 cases? passed, \d+ skipped\.$/)).toBeVisible();

  const grace = await joinAndWrite('ADA');
  await expect(grace.getByText('Somebody called ADA has joined Kernels already')).toBeVisible();
  await grace.getByLabel('Your name').fill('Grace <b>');
  await grace.getByRole('button', { name: 'Hand in a kernel' }).click();
  await handIn(grace, RIGHT.replace('p < shape.k', 'p + 1u < shape.k'));
  await expect(grace.getByText(/^Not right: wrong/)).toBeVisible();

  const late = await joinAndWrite('Late');
  await expect(late.getByText('This invite is used up: it was for 2.')).toBeVisible();

  const students = teacher.getByRole('table', { name: 'Students of Kernels' });
  const rowOf = (name: string) => students.getByRole('row', { name: new RegExp(`^${name}`) });
  await expect(rowOf('Ada')).toContainText(/[\d.]+× naive[\d.]+× to [\d.]+×/);
  await expect(rowOf('Grace')).toContainText(/wrong\d+.*: element \[\d+, \d+\] is .*, should be/);
  expect(await violations(teacher)).toEqual([]);
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      await teacher.emulateMedia({ colorScheme });
      await teacher.setViewportSize({ width, height: 900 });
      const excess = await teacher.evaluate(
        () => document.documentElement.scrollWidth - document.body.clientWidth,
      );
      expect.soft(excess, `scrolls sideways at ${width}`).toBe(0);
      if (process.env.PICTURES) {
        const path = `${process.env.PICTURES}/class-${colorScheme}-${width}.png`;
        await teacher.screenshot({ path, fullPage: true });
      }
    }
  }

  const saved = teacher.waitForEvent('download');
  await teacher.getByRole('link', { name: 'CSV' }).click();
  expect((await saved).suggestedFilename()).toMatch(/^tilemark-kernels-[\d-]+\w{6}\.csv$/);
  const chunks: Buffer[] = [];
  for await (const chunk of await (await saved).createReadStream()) chunks.push(chunk);
  const lines = Buffer.concat(chunks).toString('utf8').trim().split('\r\n');
  expect(lines[0]?.split(',')).toHaveLength(10);
  expect(lines).toHaveLength(1 + 2 * 2);
  expect(lines[1]).toMatch(/^Ada,matmul 48x16x16 f32,ada-\w{6}\/mine@\w{8},.*,right,/);

  teacher.on('dialog', (dialog) => void dialog.accept());
  await teacher.getByRole('button', { name: 'Remove Grace <b>' }).click();
  await expect(rowOf('Grace')).toHaveCount(0);
  await expect(teacher.getByText('1 of 2 joined')).toBeVisible();
  await grace.getByRole('button', { name: 'Hand in for' }).click();
  await expect(grace.getByText('Not handed in. Your seat has ended')).toBeVisible({
    timeout: 400_000,
  });
});
