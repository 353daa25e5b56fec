import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, expect, type Page } from '@playwright/test';
import { violations } from './axe';
import { bring } from './bring';
import { test } from './fixtures';
import type { Grid } from './grid';

/** A browser's tab as a worker, in a Chromium with WebGPU: over SwiftShader, which needs no GPU. */

const SWIFTSHADER = '/usr/lib/chromium/vk_swiftshader_icd.json';

let grid: Grid;
let browser: Browser;

test.describe.configure({ mode: 'serial', timeout: 600_000 });

test.beforeAll(async ({ makeGrid }) => {
  grid = await makeGrid();
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
  await grid?.stop();
});

async function api<T>(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') {
  const answer = await fetch(`${grid.url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${grid.adminToken}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(answer.ok, `${path}: ${answer.status}`).toBe(true);
  return (answer.status === 204 ? null : await answer.json()) as T;
}

interface Listed {
  readonly items: readonly {
    readonly id: string;
    readonly state: string;
    readonly device: { readonly key: string; readonly class: string };
    readonly run: { readonly sweep: { readonly id: string } } | null;
  }[];
}
const workers = async () => (await api<Listed>('/workers')).items;
const countsOf = async (id: string) =>
  (await api<{ counts: Record<string, number> }>(`/sweeps/${id}`)).counts;

const naive = (sizes: readonly number[], devices: readonly string[], policy = 'smoke') => ({
  name: 'in a tab',
  spec: {
    cases: [
      {
        kernel: 'matmul/naive',
        shapes: sizes.map((n) => ({ m: n, n, k: n })),
        dtypes: ['f32'],
      },
    ],
    ...{ policy, devices },
  },
});

/** A visitor of an own profile, as every student of a class is. */
async function visitor(link: string, options = {}): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage();
  await page.goto(link);
  return page;
}

async function invite(): Promise<{ id: string; link: string }> {
  const { id, secret } = await api<{ id: string; secret: string }>('/invites', {
    ...{ name: 'class', seats: 30, hours: 1, trusted: true },
  });
  return { id, link: `${grid.url}/join#${secret}` };
}

/** Ends what a new device begins with, which would be waited for. */
async function cancelSuites(): Promise<void> {
  type Sweeps = { items: { id: string; suite: string | null; status: string }[] };
  const suites = async () => (await api<Sweeps>('/sweeps')).items.filter(({ suite }) => suite);
  await expect.poll(async () => (await suites()).length, { timeout: 60_000 }).toBeGreaterThan(0);
  for (const { id, status } of await suites()) {
    if (status !== 'done' && status !== 'cancelled') await api(`/sweeps/${id}/cancel`, {});
  }
}

/** Starts a tab, and waits until it is at work and has no suites to measure; resolves to its worker. */
async function begin(page: Page) {
  const known = (await workers()).map(({ id }) => id);
  await page.getByLabel('Your name').fill(`Student ${known.length + 1}`);
  await page.getByRole('button', { name: 'Start' }).click();
  let own: Listed['items'][number] | undefined;
  await expect
    .poll(
      async () => {
        own = (await workers()).find(({ id }) => !known.includes(id));
        return own?.device.class;
      },
      { timeout: 60_000 },
    )
    .toBe('browser');
  if (!own) throw new Error('No worker has attached.');
  await cancelSuites();
  return own;
}

/** Long enough to be hit in the middle. */
const LONG = [64, 65];

/** Waits until a worker measures a run of a sweep. */
const inHand = (id: string, sweep: string) =>
  expect
    .poll(async () => (await workers()).find((worker) => worker.id === id)?.run?.sweep.id, {
      timeout: 120_000,
    })
    .toBe(sweep);

test('an invite is made on the page, opened, and a sweep completes in the tab', async () => {
  const admin = await visitor(grid.loginUrl);
  await admin.goto(`${grid.url}/add`);
  await admin.getByRole('textbox', { name: 'Class' }).fill('class');
  await admin.getByLabel('Results decide').selectOption('yes');
  await admin.getByRole('button', { name: 'Make class' }).click();
  await expect(admin.getByRole('img', { name: 'The link as a QR code' })).toBeVisible();
  const link = await admin.locator('code', { hasText: '/join#tm_invite_' }).textContent();

  const page = await visitor(link ?? '', { viewport: { width: 390, height: 800 } });
  await expect(page.getByText('The browser computes on the CPU')).toBeVisible();
  expect(page.url()).toBe(`${grid.url}/join`);
  const { device } = await begin(page);
  const { id } = await api<{ id: string }>('/sweeps', naive([33], [device.key], 'default'));
  await expect
    .poll(async () => (await countsOf(id)).pending, { timeout: 120_000, intervals: [1_000] })
    .toBe(0);
  expect(await countsOf(id)).toMatchObject({ total: 1, measured: 1 });
  await expect(page.getByRole('table', { name: 'Measured in this tab' })).toContainText('33');
  const board = await api<{ rows: { device: { key: string; class: string } }[] }>(
    '/leaderboard?op=matmul&dtype=f32&shape=33',
  );
  expect(board.rows.map((row) => row.device)).toMatchObject([
    { key: device.key, class: 'browser' },
  ]);
  const excess = await page.evaluate(
    () => document.documentElement.scrollWidth - document.body.clientWidth,
  );
  expect.soft(excess, 'scrolls sideways').toBe(0);
  await page.getByRole('button', { name: 'Leave' }).click();
  await expect.poll(async () => (await workers()).length, { timeout: 60_000 }).toBe(0);
  // The same GPU without a browser, beside which the browser is compared.
  const file = join(grid.dataDir, 'native.json');
  execFileSync(
    process.execPath,
    [
      ...['apps/worker/dist/main.mjs', 'bench', '--device', '0', '--json', file],
      ...['--kernel', 'matmul/naive', '--shape', '33', '--dtype', 'f32'],
    ],
    { env: { ...process.env, VK_ICD_FILENAMES: SWIFTSHADER, VK_DRIVER_FILES: SWIFTSHADER } },
  );
  await bring(grid, JSON.parse(await readFile(file, 'utf8')));
  const { items } = await api<{ items: { key: string; name: string; class: string }[] }>(
    '/devices',
  );
  const native = items.find(
    (each) => each.class !== 'browser' && each.name.includes('SwiftShader'),
  );
  const both = new URLSearchParams({ problem: 'matmul.33.f32' });
  for (const key of [native?.key ?? '', device.key]) both.append('device', key);
  await page.goto(`${grid.url}/chart?${both}`);
  const figures = page.getByRole('table', { name: 'Figures of the devices' });
  await expect(figures.getByRole('row', { name: /33 .*matmul\/naive/ })).toHaveCount(2);
  await page.context().close();
  await admin.context().close();
});

test('the quick mode runs to its end, shows the place, and publishes only for who may', {
  tag: '@full',
}, async () => {
  const table = (page: Page) => page.getByRole('table', { name: 'This browser beside the board' });
  const publish = (page: Page) => page.getByRole('button', { name: 'Publish these results' });
  const imported = async () => (await api<{ items: unknown[] }>('/sweeps')).items.length;
  const start = async (page: Page) => {
    await page.goto(`${grid.url}/join`);
    await page.getByRole('button', { name: 'Benchmark this browser' }).click();
    // SwiftShader is too slow for a product of 512: that run is skipped, and says why.
    await expect(table(page).getByRole('row', { name: /matmul\/naive/ })).toContainText(
      'skipped: ',
      {
        timeout: 60_000,
      },
    );
  };
  const before = await imported();

  // Results are there, and a stranger may not publish them.
  const stranger = await visitor(`${grid.url}/join`);
  await start(stranger);
  await stranger.getByRole('button', { name: 'Stop' }).click();
  await expect(stranger.getByRole('button', { name: 'Benchmark this browser' })).toBeVisible();
  await expect(publish(stranger)).toHaveCount(0);
  await stranger.context().close();

  const member = await visitor(`${grid.url}/login?token=${grid.adminToken}`);
  await start(member);
  await expect(publish(member)).toBeVisible({ timeout: 300_000 });
  const measured = table(member).getByRole('row').filter({ hasText: 'GB/s' }).first();
  await expect(measured).toContainText('transpose/');
  await expect(measured).toContainText(/the first|of \d+ browsers/);
  expect(await imported(), 'nothing leaves the tab unasked').toBe(before);
  await publish(member).click();
  await expect(member.getByRole('link', { name: 'the sweep' })).toBeVisible();
  expect(await imported()).toBe(before + 1);
  await member.context().close();
});

test('a browser without a GPU, and an invite without a seat, are told what to do', async () => {
  const without = async (script: () => void) => {
    const context = await browser.newContext();
    await context.addInitScript(script);
    const page = await context.newPage();
    await page.goto(`${grid.url}/join`);
    return page;
  };
  const none = await without(() => Reflect.deleteProperty(Navigator.prototype, 'gpu'));
  await expect(none.getByText('This browser has no WebGPU. Use a current Chrome')).toBeVisible();
  const blocked = await without(() => {
    GPU.prototype.requestAdapter = async () => null;
  });
  await expect(blocked.getByText('The browser offers no GPU: it may be blocked')).toBeVisible();
  await expect(blocked.getByText('turn on hardware acceleration')).toBeVisible();
  for (const page of [none, blocked]) {
    await expect(page.getByRole('button', { name: 'Benchmark this browser' })).toBeDisabled();
    await expect(page.getByRole('button', { name: 'Start' })).toBeDisabled();
    await page.context().close();
  }

  const { secret } = await api<{ secret: string }>('/invites', {
    ...{ name: 'one', seats: 1, hours: 1 },
  });
  await api('/invites/redeem', { invite: secret });
  const late = await visitor(`${grid.url}/join#${secret}`);
  await late.getByLabel('Your name').fill('Late');
  await late.getByRole('button', { name: 'Start' }).click();
  await expect(late.getByText('is used up')).toBeVisible();
  expect(await workers()).toEqual([]);
  await late.context().close();
});

const HOW_FAST = 'How fast is my GPU?';

test('the first screen says how fast the GPU is, and its link says whose word that is', async () => {
  const page = await visitor(grid.url, { viewport: { width: 390, height: 800 } });
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${request.method()} ${request.url()}`);
  });
  await page.getByRole('button', { name: HOW_FAST }).click();
  const figure = (unit: string) => page.getByRole('paragraph').filter({ hasText: unit });
  await expect(figure('GFLOP/s')).toContainText('product 128 f32, verified', { timeout: 120_000 });
  await expect(figure('GB/s')).toContainText('copy 384 × 512 f32, verified');
  await expect(page.getByText('The browser computes on the CPU')).toBeVisible();
  await expect(page.getByText(/among this grid’s devices: (the first|\d+ of)/)).toBeVisible();
  expect(await violations(page)).toEqual([]);
  const link = (await page.locator('code', { hasText: '/#gpu=' }).textContent()) ?? '';
  const excess = await page.evaluate(
    () => document.documentElement.scrollWidth - document.body.clientWidth,
  );
  expect(excess, 'scrolls sideways').toBe(0);

  await page.goto('about:blank');
  await page.goto(link);
  await expect(page.getByText('Measured in a visitor’s tab, not on this board')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'a software adapter' })).toBeVisible();
  await expect(figure('GFLOP/s')).toContainText('product 128 f32');
  expect(await violations(page)).toEqual([]);
  await page.goto(`${grid.url}/#gpu=mine&gflops=many`);
  await page.reload();
  await expect(page.getByText('This link’s figures cannot be read')).toBeVisible();
  expect(sent).toEqual([]);
  await page.context().close();
});

test('a GPU without a clock, of a phone, or none at all, is told so in a sentence', async () => {
  const asked = async (script: () => void) => {
    const context = await browser.newContext();
    await context.addInitScript(script);
    const page = await context.newPage();
    await page.goto(grid.url);
    await page.getByRole('button', { name: HOW_FAST }).click();
    return page;
  };
  const poor = await asked(() => {
    const features = new Set();
    const limits = { maxComputeWorkgroupStorageSize: 16_384 };
    Object.defineProperties(GPUAdapter.prototype, {
      features: { get: () => features },
      limits: { get: () => limits },
    });
  });
  await expect(poor.getByText('does not expose the GPU’s clock')).toBeVisible();
  await expect(poor.getByText('offers 16 KiB of workgroup memory')).toBeVisible();
  await poor.context().close();
  const none = await asked(() => Reflect.deleteProperty(Navigator.prototype, 'gpu'));
  await expect(none.getByRole('main').getByRole('alert')).toContainText(
    'This browser has no WebGPU.',
  );
  await none.context().close();
});

test('pausing gives the run back, a second tab waits, and closing gives the run back', {
  tag: '@full',
}, async () => {
  const { link } = await invite();
  const page = await visitor(link);
  const { id, device } = await begin(page);
  const sweep = await api<{ id: string }>('/sweeps', naive(LONG, [device.key], 'default'));
  await inHand(id, sweep.id);
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect
    .poll(async () => (await workers()).find((worker) => worker.id === id)?.state, {
      timeout: 60_000,
    })
    .toBe('paused');
  expect((await workers()).find((worker) => worker.id === id)?.run).toBeNull();

  const second = await page.context().newPage();
  await second.goto(`${grid.url}/join`);
  await second.getByLabel('Your name').fill('Second');
  await second.getByRole('button', { name: 'Start' }).click();
  await expect(second.getByText('Another tab of this browser')).toBeVisible();
  await second.close();

  await page.getByRole('button', { name: 'Resume' }).click();
  await inHand(id, sweep.id);
  await page.close({ runBeforeUnload: true });
  await expect
    .poll(async () => (await workers()).find((worker) => worker.id === id)?.run ?? null, {
      timeout: 60_000,
    })
    .toBeNull();
  expect((await countsOf(sweep.id)).pending).toBeGreaterThan(0);

  const next = await visitor(link);
  await begin(next);
  await expect
    .poll(async () => (await countsOf(sweep.id)).pending, { timeout: 120_000, intervals: [1_000] })
    .toBe(0);
  expect(await countsOf(sweep.id)).toMatchObject({ measured: LONG.length });
  await next.getByRole('button', { name: 'Leave' }).click();
  await expect(next.getByText('This tab has left')).toBeVisible({ timeout: 30_000 });
  await next.context().close();
});

test('a revoked tab stops within seconds and says why; its invite lets nobody in', async () => {
  const { id: inviteId, link } = await invite();
  const page = await visitor(link);
  const { device } = await begin(page);
  const sweep = await api<{ id: string }>('/sweeps', naive(LONG, [device.key], 'default'));
  await api(`/invites/${inviteId}`, undefined, 'DELETE');
  await expect(page.getByText(/unknown, expired or revoked|was revoked/)).toBeVisible({
    timeout: 30_000,
  });
  await page.getByRole('button', { name: 'Start' }).click();
  await expect(page.getByText('This invite was revoked.')).toBeVisible();
  await api(`/sweeps/${sweep.id}/cancel`, {});
  await page.context().close();
});

test('a lost device ends the run as failed, and the tab goes on', { tag: '@full' }, async () => {
  const { link } = await invite();
  const page = await visitor(link);
  const { id, device } = await begin(page);
  const sweep = await api<{ id: string }>('/sweeps', naive(LONG, [device.key], 'default'));
  await inHand(id, sweep.id);
  await page
    .workers()
    .at(-1)
    ?.evaluate(() => {
      const { prototype } = Reflect.get(globalThis, 'GPUDevice') as { prototype: GPUDevice };
      const { createCommandEncoder } = prototype;
      prototype.createCommandEncoder = function (this: GPUDevice, descriptor) {
        this.destroy();
        return createCommandEncoder.call(this, descriptor);
      };
    });
  await expect.poll(async () => (await countsOf(sweep.id)).failed, { timeout: 120_000 }).toBe(1);
  await expect(page.getByText(/failed: the device was lost/)).toBeVisible();
  await expect
    .poll(async () => (await countsOf(sweep.id)).pending, { timeout: 120_000, intervals: [1_000] })
    .toBe(0);
  expect(await countsOf(sweep.id)).toMatchObject({ failed: 1, measured: LONG.length - 1 });
  await page.context().close();
});

/** What the browser says of the machine, to be changed by a test; Chromium has no battery here. */
interface Stub extends EventTarget {
  charging: boolean;
  visibilityState: DocumentVisibilityState;
  locks: number;
}
declare global {
  var machine: Stub;
}

function stubMachine(): void {
  const told = { charging: true, visibilityState: 'visible', locks: 0 } as const;
  const machine: Stub = Object.assign(new EventTarget(), told);
  const request = async () => {
    machine.locks += 1;
    const release = async () => {
      machine.locks -= 1;
    };
    return { release };
  };
  Object.assign(globalThis, { machine });
  Object.defineProperties(navigator, {
    getBattery: { value: async () => machine },
    wakeLock: { value: { request } },
  });
  Object.defineProperty(document, 'visibilityState', { get: () => machine.visibilityState });
}

test('a tab rests while hidden or on battery, and keeps the screen awake while it works', {
  tag: '@full',
}, async () => {
  const { link } = await invite();
  const context = await browser.newContext();
  await context.addInitScript(stubMachine);
  const page = await context.newPage();
  await page.goto(link);
  const locks = () => page.evaluate(() => machine.locks);
  const plugIn = (charging: boolean) =>
    page.evaluate((is) => {
      machine.charging = is;
      machine.dispatchEvent(new Event('chargingchange'));
    }, charging);
  const turn = (state: DocumentVisibilityState) =>
    page.evaluate((is) => {
      machine.visibilityState = is;
      document.dispatchEvent(new Event('visibilitychange'));
    }, state);
  expect(await locks()).toBe(0);

  const { id, device } = await begin(page);
  const sweep = await api<{ id: string }>('/sweeps', naive(LONG, [device.key], 'default'));
  await inHand(id, sweep.id);
  expect(await locks()).toBe(1);
  const rests = async (why: string) => {
    await expect(page.getByText(`Paused: ${why}`)).toBeVisible();
    await expect
      .poll(async () => (await workers()).find((worker) => worker.id === id)?.state, {
        timeout: 30_000,
      })
      .toBe('paused');
    await expect.poll(locks).toBe(0);
  };

  await plugIn(false);
  await rests('the machine is on battery');
  // Who says that it may, lends on battery too.
  const careful = page.getByLabel('Pause while this tab is hidden');
  await careful.uncheck();
  await inHand(id, sweep.id);
  expect(await locks()).toBe(1);
  await careful.check();
  await rests('the machine is on battery');
  await plugIn(true);
  await inHand(id, sweep.id);

  await turn('hidden');
  await rests('the tab is hidden');
  await turn('visible');
  await inHand(id, sweep.id);
  expect(await locks()).toBe(1);
  await page.getByRole('button', { name: 'Leave' }).click();
  await expect(page.getByText('This tab has left')).toBeVisible({ timeout: 30_000 });
  await expect.poll(locks).toBe(0);
  await api(`/sweeps/${sweep.id}/cancel`, {});
  await context.close();
});
