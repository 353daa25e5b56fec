import { type Browser, chromium, expect, type Locator, type Page } from '@playwright/test';
import { kernelTemplate } from '../packages/core/src/contributed/template';
import { violations } from './axe';
import { test } from './fixtures';
import type { Grid } from './grid';
import { cancelStarters } from './starters';

/** A kernel of a visitor's own, from the editor to the board, in a Chromium that compiles WGSL. */

let grid: Grid;
let browser: Browser;
let page: Page;
let member: string;

test.describe.configure({ mode: 'serial', timeout: 600_000 });

test.beforeAll(async ({ makeGrid }) => {
  grid = await makeGrid([]);
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      ...['--headless', '--no-sandbox', '--disable-quic', '--no-first-run'],
      ...['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'],
    ],
  });
  page = await (await browser.newContext()).newPage();
  page.on('dialog', (dialog) => void dialog.accept());
  const made = await api<{ secret: string }>('/tokens', { name: 'Ada', role: 'member' });
  member = made.secret;
  await cancelStarters(grid);
});

test.afterAll(async () => {
  await browser?.close();
  await grid?.stop();
});

interface Listed {
  readonly items: readonly { readonly id: string }[];
}
const sweeps = async () => (await api<Listed>('/sweeps')).items;
/** Sweeps by id alone: those of others go on meanwhile. */
const enqueued = async () => [await kept(), (await sweeps()).map(({ id }) => id)];
const kept = async () => (await api<Listed>('/kernels/contributed', undefined, member)).items;

async function api<T>(path: string, body?: unknown, token = grid.adminToken): Promise<T> {
  const answer = await fetch(`${grid.url}/api/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(answer.ok, `${path}: ${answer.status}`).toBe(true);
  return (await answer.json()) as T;
}

/** Moves the focus by Tab alone. */
async function tabTo(target: Locator): Promise<void> {
  await expect(target).toBeEnabled();
  for (let presses = 0; presses < 120; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${target}.`);
}

/** Axe and the width of the page, in both schemes and on a phone. */
async function expectClean(): Promise<void> {
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const found = await violations(page, '.shiki code');
    expect.soft(found, `${page.url()} ${width}`).toEqual([]);
    const excess = await page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    );
    expect.soft(excess, `${page.url()} scrolls sideways`).toBeLessThan(1);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
}

const editor = () => page.getByRole('textbox', { name: 'WGSL source' });
const findings = () => page.locator('#findings');
const submit = () => page.getByRole('button', { name: /^Submit/ });

test('what was typed is there after logging in', async () => {
  await page.goto(`${grid.url}/kernels/new`);
  await tabTo(editor());
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\n// typed before logging in');
  await page.getByRole('main').getByRole('link', { name: 'Log in' }).click();
  await page.getByLabel('Token').fill(member);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/kernels\/new$/);
  await expect(editor()).toBeVisible();
  await tabTo(editor());
  await page.keyboard.press('Control+End');
  await expect(editor()).toContainText('typed before logging in');
  await expect(page.getByRole('main').getByRole('link', { name: 'Log in' })).toHaveCount(0);
});

test('by keyboard alone: an error, its line, the fix, a result, a search, the board, and away', async () => {
  await tabTo(editor());
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\nconst oops = 1 + ;');
  const line = findings().getByRole('button', { name: /^Line \d+$/ });
  await expect(line).toBeVisible();
  await expect(page.locator('.cm-lint-marker-error')).toBeVisible();
  await expectClean();
  await tabTo(line);
  await page.keyboard.press('Enter');
  await expect(editor()).toBeFocused();
  await page.keyboard.press('Shift+End');
  await page.keyboard.press('Delete');
  await expect(findings()).toContainText('Compiles in this browser.');
  await page.keyboard.type('fn unreached() { return; let never = 1; }');
  await expect(findings()).toContainText(/Line \d+\s*code is unreachable.*Compiles in this/s);
  await expect(page.locator('.cm-lint-marker-warning')).toBeVisible();
  await expectClean();
  await page.keyboard.press('Shift+Home');
  await page.keyboard.press('Delete');
  await expect(findings()).toHaveText('Compiles in this browser.');

  const device = page.getByRole('checkbox', { name: /llvmpipe/ });
  await tabTo(device);
  await page.keyboard.press('Space');
  await expect(device).toBeChecked();
  await tabTo(page.getByLabel('Shapes'));
  await page.keyboard.press('Control+A');
  await page.keyboard.type('64');
  // A quick policy, but for its check: this machine is shared, so that no result is sure to be ranked.
  await page.route('**/api/v1/sweeps', (route) => {
    const asked = route.request().postDataJSON();
    const policy = asked.spec.policy === 'smoke' ? 'smoke' : 'screen';
    return route.continue({ postData: { ...asked, spec: { ...asked.spec, policy } } });
  });
  await tabTo(submit());
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/kernels\/ada\/my-matmul@[0-9a-f]{8}$/);
  await page.unroute('**/api/v1/sweeps');
  const address = page.url();
  await expect(page.getByText('Unlisted: until it is published')).toBeVisible();
  const row = page
    .getByRole('table', { name: /by device and problem/ })
    .getByRole('row')
    .nth(1);
  await expect(row).toContainText('GFLOP/s', { timeout: 180_000 });
  await expect(row).toContainText(/×.*×.* to /, { timeout: 120_000 });
  // The sweep has one run more, which may be the best of ours.
  const progress = page.getByRole('heading', { name: 'Progress' });
  await expect(progress).toHaveCount(0, { timeout: 300_000 });
  await expectClean();
  // On a phone the name of ours stands below its ratio, not at the far edge.
  await page.setViewportSize({ width: 390, height: 900 });
  const cell = page.locator('[data-head="Over the best of ours"]').first();
  const parts = cell.locator('> span.block');
  await expect(parts).toHaveCount(2);
  const [interval, ours] = await parts.evaluateAll((each) =>
    each.map((part) => part.getBoundingClientRect().left),
  );
  expect(ours).toBe(interval);
  await page.setViewportSize({ width: 1280, height: 900 });

  const ofBoard = `${grid.url}/?shape=64`;
  const mine = page.getByRole('link', { name: 'by ada' }).filter({ visible: true });
  await page.goto(ofBoard);
  await expect(page.getByRole('heading', { name: 'Leaderboard' })).toBeVisible();
  await expect(mine).toHaveCount(0);
  await page.goto(address);
  await tabTo(page.getByRole('button', { name: /^Publish/ }));
  await page.keyboard.press('Enter');
  await expect(page.getByText('Unlisted: until it is published')).toHaveCount(0);
  await page.goto(ofBoard);
  await expect(mine).toHaveCount(1);
  // A busy machine's result may be too noisy for a rank.
  const apart = page.getByRole('rowheader', {
    name: /^(Contributed: Software adapters|Not ranked)$/,
  });
  await expect(apart.first()).toBeVisible();
  await page.goto(address);
  await tabTo(page.getByRole('button', { name: /^Delete/ }));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/kernels$/);
  await page.goto(ofBoard);
  await expect(mine).toHaveCount(0);
  expect((await page.goto(address))?.status()).toBe(404);
});

test('a kernel runs in the tab: right and timed beside naive, or wrong and where; nothing is sent', async () => {
  // Few shapes and one block, for SwiftShader.
  const source = kernelTemplate('here')
    .replace('[16, 8, 4]', '[8]')
    .replace('"covers"', '"requires": [{ "that": "m == 17 || m == 48 || k == 512" }], "covers"');
  const visitor = await (await browser.newContext()).newPage();
  const sent: string[] = [];
  visitor.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(request.url());
  });
  const run = async (text: string) => {
    const file = { name: 'here.wgsl', mimeType: 'text/plain', buffer: Buffer.from(text) };
    await visitor.locator('input[type=file]').setInputFiles(file);
    await expect(visitor.locator('#findings')).toHaveText('Compiles in this browser.');
    await visitor.getByLabel('Shapes').fill('48x16x16');
    await visitor.getByRole('button', { name: 'Run here' }).click();
    await expect(visitor.getByRole('button', { name: 'Stop' })).toBeVisible();
  };
  await visitor.goto(`${grid.url}/kernels/new`);
  await run(source);
  await expect(visitor.getByText(/^\d+ of \d\d+ cases checked\./)).toBeVisible();
  const right = visitor.getByText(/^Right: (\d+) of \1 cases? passed, \d+ skipped/);
  await expect(right).toBeVisible({ timeout: 400_000 });
  await expect(visitor.getByText(/^48 × 16 × 16 f32/)).toContainText(
    /GFLOP\/s, [\d.]+× naive’s speed \([\d.]+× to [\d.]+×(, undecided)?\)$/,
  );
  for (const scale of ['|x| =', 'outliers of']) {
    await expect(
      visitor.getByText(`64 × 64 × 512 f32: right up to ${scale} 2^48, the largest tried`),
    ).toBeVisible();
  }
  await expect(visitor.getByText('The browser computes on the CPU')).toBeVisible();
  expect(await violations(visitor, '.cm-editor')).toEqual([]);
  await run(source.replace('p < shape.k', 'p + 1u < shape.k'));
  await expect(visitor.getByText(/^Not right: wrong/)).toBeVisible({ timeout: 400_000 });
  await expect(visitor.getByText(/f32 .*: wrong: element \[\d+, \d+\] is/).first()).toBeVisible();
  expect(sent).toEqual([]);
  await visitor.context().close();
});

const TEMPLATE = `/* tilemark
{ "name": "hostile", "op": "matmul", "dtypes": ["f32"], "covers": { "rows": 1, "cols": 1 } }
*/
// </script><script>window.hacked = 1</script>
@compute @workgroup_size(1) fn main() { oops(); }
@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<f32>;
@group(0) @binding(2) var<storage, read_write> C: array<f32>;
`;

test('hostile input gets one clear answer, and nothing is enqueued', async () => {
  const before = await enqueued();
  const files = page.locator('input[type=file]');
  const alert = page.getByRole('main').getByRole('alert');
  await page.goto(`${grid.url}/kernels/new`);
  await expect(editor()).toBeVisible();
  const bring = (source: Buffer | string, name = 'my.wgsl') =>
    files.setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(source) });
  await bring('x'.repeat(10_000_000));
  await expect(alert).toHaveText('my.wgsl has 10000000 bytes; the limit is 262144.');
  await bring(Buffer.from([0x2f, 0xff, 0xfe]));
  await expect(alert).toHaveText('my.wgsl is not text: save it as UTF-8.');
  await bring('{}', 'my.exe');
  await expect(alert).toHaveText('my.exe is neither a .wgsl nor a .json file.');
  for (const [source, message] of [
    ['', /the file is empty/],
    ['fn main() {}', /there is no @compute function/],
    [TEMPLATE.replace('"hostile"', '"</script>"'), /^Line 2.*a name is 1 to 40/s],
    [TEMPLATE.replace('"covers"', '"cover"'), /^Line \d.*covers is required|Unrecognized/s],
    [TEMPLATE.replace('{ "name"', '{ name'), /^Line 2.*the manifest is not JSON/s],
  ] as const) {
    await bring(source);
    await expect(findings()).toHaveText(message);
    await submit().click();
    await expect(alert).toContainText('Not submitted');
  }
  expect(await enqueued()).toEqual(before);
});

test('a page shows a hostile source as text, and its error at the line', async () => {
  const { id } = await api<{ id: string }>('/kernels', { source: TEMPLATE }, member);
  const device = (await api<{ items: { key: string; class: string }[] }>('/devices')).items.find(
    (each) => each.class === 'software',
  );
  await api(
    '/sweeps',
    {
      name: id,
      spec: {
        cases: [{ kernel: id, shapes: [{ m: 8, n: 8, k: 8 }], dtypes: ['f32'] }],
        devices: [device?.key],
      },
    },
    member,
  );
  await page.goto(`${grid.url}/kernels/${id}`);
  await expect(page.getByText(/compile: .*\(line 5, column \d+: @compute/)).toBeVisible({
    timeout: 120_000,
  });
  await expect(page.getByText('window.hacked = 1')).toBeVisible();
  expect(await page.evaluate(() => Reflect.get(window, 'hacked'))).toBeUndefined();
});

test('a result shows what the compiler remarked on its kernel', async () => {
  const body = 'C[0] = A[0] + B[0]; return; C[0] = 0.0;';
  const source = TEMPLATE.replace('oops();', body);
  const { id } = await api<{ id: string }>('/kernels', { source }, member);
  const { items } = await api<{ items: { key: string; class: string }[] }>('/devices');
  const device = items.find((each) => each.class === 'software');
  const cases = [{ kernel: id, shapes: [{ m: 1, n: 1, k: 1 }], dtypes: ['f32'] }];
  await api('/sweeps', { name: id, spec: { cases, devices: [device?.key] } }, member);
  await page.goto(`${grid.url}/kernels/${id}`);
  await page.getByRole('link', { name: 'incorrect' }).click({ timeout: 120_000 });
  const remarks = page.getByRole('list', { name: 'Remarks of the compiler' });
  await expect(remarks).toHaveText('Line 5: warning: code is unreachable');
});

test('each engine has its say, in the editor and on the page of a kernel', async () => {
  const row = (engine: RegExp) => page.getByRole('row', { name: engine });
  const expectAccepted = async () => {
    await expect(row(/^Tint/)).toContainText('compiled in this browser');
    await expect(row(/^naga/)).toContainText('compiles');
    await expect(row(/^WebKit/)).toContainText('its documentation names all');
    await page.getByText('What naga makes of it: MSL').click();
    await expect(page.getByText('#include <metal_stdlib>')).toBeVisible();
  };
  // A tab of its own: the editor keeps a draft for each.
  page = await page.context().newPage();
  await page.goto(`${grid.url}/kernels/new`);
  await page.getByText('Chrome, Firefox, and Safari').click();
  await expectAccepted();
  await page.goto(`${grid.url}/kernels/matmul/tiled`);
  await page.getByRole('link', { name: 'Ask Tint, naga, and WebKit' }).click();
  await expectAccepted();
  await expectClean();
  await page.goto(`${grid.url}/kernels/matmul/subgroup-matrix?dtype=f16&show=compiles`);
  await expect(row(/^naga/)).toContainText('refuses, line');
});
