import { readdir } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  type APIResponse,
  type BrowserContext,
  expect,
  type Locator,
  type Page,
} from '@playwright/test';
import { violations } from './axe';
import { benchFile, measured } from './bench-file';
import { bring } from './bring';
import { type Example, importResults, post } from './example';
import { test } from './fixtures';
import type { Grid } from './grid';

/** Every page, with results of every outcome on it: accessible, in both schemes, on a phone too. */

let grid: Grid;
let pages: Example['pages'];

test.beforeAll(({ example }) => {
  ({ grid, pages } = example);
});

/** Opens a page and waits until its charts are drawn. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${grid.url}${path}`);
  await expect(page.getByText('Drawing …')).toHaveCount(0);
}

/** Chooses what the charts of a sweep draw, and waits for them: the address changes earlier. */
async function chooseProblem(page: Page, index: number): Promise<void> {
  const choice = page.getByLabel('Problem, profile and device');
  const value = await choice.locator('option').nth(index).getAttribute('value');
  await choice.selectOption({ index });
  await expect(choice).toHaveValue(value ?? '');
  await expect(page.getByText('Drawing …')).toHaveCount(0);
}

/** As a stranger sees them; the others as an admin does. */
const OF_STRANGERS = ['leaderboard', 'join', 'login'];

for (const width of [1280, 390]) {
  test(`every page has a title, is accessible in both schemes, clean and as wide as the screen: ${width}`, {
    tag: '@full',
  }, async ({ browser }) => {
    // Of a page: axe in light takes most of it, up to 4 s where two browsers share a core.
    test.setTimeout(8_000 * Object.keys(pages).length);
    const context = await browser.newContext({ viewport: { width, height: 844 } });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      // The browser itself reports the 400 and the 404 that are asked for.
      if (message.type() === 'error' && !/40[04]/.test(message.text())) {
        errors.push(`${page.url()}: ${message.text()}`);
      }
    });
    await countMoves(context);
    const check = async (name: string) => {
      await open(page, pages[name] ?? '');
      await expect.soft(page, name).toHaveTitle(/\S · Tilemark|Tilemark: \S|not found|address/i);
      expect.soft(await movesOf(page), `${name} moves while it loads`).toBeLessThan(0.02);
      // Thousands of spans alike: one page of code stands for all.
      const repeated = name === 'kernel' ? undefined : '.shiki code';
      expect.soft(await violations(page, repeated), name).toEqual([]);
      // The body's width leaves out the scroll bar's gutter; a narrow one stands in the middle.
      const excess = await page.evaluate(() => {
        const { left, width } = document.body.getBoundingClientRect();
        return document.documentElement.scrollWidth - (width + 2 * left);
      });
      expect.soft(excess, `${name} scrolls sideways`).toBeLessThan(1);
    };
    for (const name of OF_STRANGERS) await check(name);
    await page.goto(grid.loginUrl);
    for (const name of Object.keys(pages)) {
      if (!OF_STRANGERS.includes(name)) await check(name);
    }
    expect(errors).toEqual([]);
    await context.close();
  });
}

/** Pages of results, which may be so high at 1280 px, and have so many controls, those of the frame too. */
const OF_RESULTS = [
  ...['leaderboard', 'board', 'portability', 'sweep', 'failed sweep', 'tuning'],
  ...['result', 'chart', 'device', 'shipped device', 'kernels'],
  ...['kernel', 'emitted kernel', 'unmeasured kernel'],
  ...['best', 'best of a suite', 'predicted best', 'no best'],
];
const MOST_PX = 2_500;
const MOST_CONTROLS = 40;

test('no page of results is long or has many controls', { tag: '@full' }, async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 844 });
  await page.goto(grid.loginUrl);
  for (const name of OF_RESULTS) {
    await open(page, pages[name] ?? '');
    const [px = 0, controls = 0] = await page.evaluate(() => {
      const stops = [
        ...document.querySelectorAll<HTMLElement>('a, button, input, select, summary'),
      ];
      const ways = [...stops, ...document.querySelectorAll<HTMLElement>('[tabindex="0"]')];
      const seen = new Set(
        ways.filter(
          (way) => way.tabIndex >= 0 && way.checkVisibility({ visibilityProperty: true }),
        ),
      );
      return [document.documentElement.scrollHeight, seen.size];
    });
    expect.soft(px, `${name}, px`).toBeLessThan(MOST_PX);
    expect.soft(controls, `${name}, controls`).toBeLessThanOrEqual(MOST_CONTROLS);
  }
});

interface Moved {
  readonly moved: number;
}

/** Makes the pages of a context add up how far their contents move, as the layout-shift score. */
const countMoves = (context: BrowserContext) =>
  context.addInitScript(() => {
    Object.assign(window, { moved: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        Object.assign(window, {
          moved: (window as never as Moved).moved + (entry as never as { value: number }).value,
        });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });

const movesOf = (page: Page) => page.evaluate(() => (window as never as Moved).moved);

test('no page moves when its typefaces come late', { tag: '@full' }, async ({ browser }) => {
  for (const width of [1280, 390]) {
    for (const name of ['leaderboard', 'sweep', 'kernels', 'best', 'not found']) {
      // Each the first visit of a browser, whose cache has none yet.
      const context = await browser.newContext({ viewport: { width, height: 844 } });
      await countMoves(context);
      let late = 0;
      await context.route('**/*.woff2', async (route) => {
        late++;
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        await route.continue();
      });
      const page = await context.newPage();
      await open(page, pages[name] ?? '');
      await page.evaluate(() => document.fonts.ready.then(() => undefined));
      expect(late, name).toBeGreaterThan(0);
      expect.soft(await movesOf(page), `${name} at ${width}`).toBeLessThan(0.02);
      await context.close();
    }
  }
});

test('no table moves while its rows arrive', { tag: '@full' }, async ({ page, context }) => {
  // Each page stops after the fourth row of a table for a while.
  const halting = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, 'accept-encoding': 'identity' };
    const target = new URL(incoming.url ?? '/', grid.url);
    const passed = request(target, { method: incoming.method, headers }, async (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      if (!answer.headers['content-type']?.startsWith('text/html')) {
        answer.pipe(outgoing);
        return;
      }
      const html = await text(answer);
      const end = html.split('</tr>', 4).join('</tr>').length;
      outgoing.write(html.slice(0, end));
      setTimeout(() => outgoing.end(html.slice(end)), 1_500);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => halting.listen(0, '127.0.0.1', resolve));
  const { port } = halting.address() as AddressInfo;
  await countMoves(context);
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    for (const name of ['sweep', 'leaderboard', 'primer', 'sweeps', 'device']) {
      await page.goto(`http://127.0.0.1:${port}${pages[name]}`);
      await expect(page.getByText('Drawing …')).toHaveCount(0);
      expect.soft(await movesOf(page), `${name} at ${width}`).toBeLessThan(0.02);
    }
  }
  halting.closeAllConnections();
  halting.close();
});

test('browse: from the board to a result’s proof', async ({ page }) => {
  await page.goto(`${grid.url}/?op=matmul&dtype=f32&shape=1024&profile=default`);
  const row = page.getByRole('row', { name: /Example Tile 100/ }).first();
  await row.getByRole('link', { name: /^matmul\// }).click();
  await expect(page.getByRole('heading', { name: 'Verification' })).toBeVisible();
  await expect(page.getByText('1,980 MHz')).toBeVisible();
});

test('a kernel’s page says which result is not ranked, and why', async ({ page }) => {
  const file = benchFile();
  const [tiled] = file.results.filter(({ variant }) => variant.kernel === 'matmul/tiled');
  const quick = {
    ...tiled,
    policy: 'smoke',
    problem: { op: 'matmul', shape: { m: 80, n: 80, k: 80 }, dtype: 'f32' },
    outcome: measured(7_770, 700, 'compute', 'smoke'),
  };
  await bring(grid, { ...file, results: [quick] });
  await page.goto(`${grid.url}/kernels/matmul/tiled?on=80,f32,default`);
  const table = page.getByRole('table', { name: 'Results of matmul 80 f32 by device' });
  await expect(table.getByRole('row', { name: /Example Tile 100/ })).toContainText(
    'Not ranked: the smoke policy is too quick to rank',
  );
  await page.goto(`${grid.url}/kernels/matmul/tiled?on=1024,f32,default`);
  await expect(page.getByRole('row', { name: /Example Tile 100/ })).not.toContainText('Not ranked');
});

test('no table of a sweep is wider than a desk’s screen', { tag: '@full' }, async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 844 });
  const device = pages.device?.split('/').at(-1);
  const kernels = ['matmul/naive', 'matmul/tiled'];
  const shapes = [{ m: 1024, n: 1024, k: 1024 }];
  const asked = {
    'of two profiles': {
      spec: {
        cases: kernels.map((kernel) => ({ kernel, shapes, dtypes: ['f32'] })),
        profiles: ['default', 'fast'],
        devices: [device],
      },
    },
    'of a report by tile': { suite: 'block-size', devices: [device] },
    'of a report by size': { suite: 'threads-per-block', devices: [device] },
  };
  const paths = Object.entries(pages).filter(([name]) => /sweep|tuning|^leaderboard/.test(name));
  for (const [name, body] of Object.entries(asked)) {
    const { id } = await post(grid, 'sweeps', { name, ...body });
    paths.push([name, `/sweeps/${id}`]);
  }
  for (const [name, path] of paths) {
    await open(page, path);
    const excess = await page
      .locator('main .scroll-hint')
      .evaluateAll((boxes) => boxes.map((box) => box.scrollWidth - box.clientWidth));
    expect.soft(excess, name).toEqual(excess.map(() => 0));
  }
  // Rows that differ in the profile alone are told apart.
  await page.goto(`${grid.url}${paths.find(([name]) => name === 'of two profiles')?.[1]}`);
  const table = page.getByRole('table', { name: 'Results of the sweep' });
  await expect(table.getByText('fast', { exact: true })).toHaveCount(2);
  await expect(page.getByText('matmul 1024 f32, on Example Tile 100')).toBeVisible();
});

/** What a download contains. */
async function textOf(page: Page, button: string): Promise<Buffer> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).first().click();
  const chunks: Buffer[] = [];
  for await (const chunk of await (await download).createReadStream()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test('devices in one figure: ticked by keyboard, drawn, and saved with what tells where it is from', async ({
  page,
}) => {
  await page.goto(`${grid.url}/?op=matmul&shape=1024`);
  const bar = page.getByRole('region', { name: 'Ticked' });
  for (const name of [/Example Tile 100/, /llvmpipe/]) {
    await page.getByRole('checkbox', { name }).focus();
    await page.keyboard.press('Space');
  }
  await expect(bar).toContainText('2 devices ticked');
  // Forgotten with the page.
  await page.getByRole('navigation', { name: 'Main' }).getByText('Devices').click();
  await expect(page.getByRole('checkbox', { name: /Example Tile 100/ })).not.toBeChecked();
  await expect(bar).toHaveCount(0);
  await page.goBack();
  for (const name of [/Example Tile 100/, /llvmpipe/])
    await page.getByRole('checkbox', { name }).check();
  await bar.getByRole('link', { name: 'Draw 2' }).click();
  await expect(page).toHaveURL(/\/chart\?device=.*&device=.*&problem=matmul\.1024\.f32&profile=/);
  await page.getByLabel('Add a problem').selectOption('matmul 512 f32');
  await expect(page).toHaveURL(/problem=matmul\.512\.f32/);
  await expect(page.getByRole('table', { name: 'Figures of the devices' })).toContainText(
    'example 1.0',
  );
  await expect(
    page.getByRole('img', { name: /^Best rate by device: Example Tile 100/ }),
  ).toBeVisible();
  const svg = (await textOf(page, 'Download SVG')).toString('utf8');
  const said = svg.replaceAll(/<\/text>\s*<text[^>]*>/g, ' ');
  expect(said).toMatch(/Best rate by device, matmul 1024 f32, matmul 512 f32, profile default</);
  const [measured = ''] =
    /Example Tile 100: example 1\.0, measured ([\d-]+)/.exec(said)?.slice(1) ?? [];
  const table = page.getByRole('table', { name: 'Figures of the devices' });
  await expect(table.getByRole('row', { name: /Example Tile 100/ }).first()).toContainText(
    measured,
  );
  expect(said).toMatch(/llvmpipe/);
  expect(said).toContain('95% intervals between runs');
  expect(said.replaceAll(' ', '')).toContain(
    `Data:CC0-1.0.tilemark${new URL(page.url()).pathname}?`,
  );
  const png = await textOf(page, 'Download PNG');
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  expect(png.readUInt32BE(16)).toBeGreaterThan(1_000);
});

test('a sweep draws what the reports drew by hand', async ({ page }) => {
  await open(page, pages.sweep ?? '');
  await chooseProblem(page, 2);
  for (const [role, chart] of [
    ['img', /^Rate by variant/],
    ['grid', /^Rate by tunables/],
    ['img', /^Rate by size/],
  ] as const) {
    await expect(page.getByRole(role, { name: chart })).toBeVisible();
  }
  await page.getByLabel('Show', { exact: true }).selectOption('speedup');
  await page.getByLabel('Over', { exact: true }).selectOption('block');
  await page.getByLabel('A line per', { exact: true }).selectOption('size');
  await expect(page).toHaveURL(/show=speedup&axis=block&line=size/);
  const curves = page.getByRole('img', { name: /^Speed-up over the fastest naive by block side/ });
  await expect(curves).toHaveAccessibleName(/with workgroup memory is best at block side/);
  await expect(curves.locator('svg [aria-label=line] path')).not.toHaveCount(0);
  await page.getByLabel('Map of').selectOption('all kernels');
  await expect(page.getByRole('grid', { name: 'Rate by kernel and block side' })).toBeVisible();

  await page.getByLabel('Find', { exact: true }).fill('transpose failed');
  await expect(page.getByText('No run matches.')).toBeVisible();
  await page.getByLabel('Find', { exact: true }).fill('transpose padded');
  await expect(page).toHaveURL(/find=transpose\+padded/);
  await expect(page.getByRole('row', { name: /incorrect/ })).toHaveCount(2);
});

test('a chart tells its marks to who points at them', async ({ page }) => {
  await open(page, pages.sweep ?? '');
  await chooseProblem(page, 2);
  const bars = page.getByRole('img', { name: /^Rate by variant/ });
  await bars.scrollIntoViewIfNeeded();
  const box = await bars.boundingBox();
  await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + 20);
  await expect(bars.locator('svg [aria-label=tip]')).toContainText(/tiled.*GFLOP\/s/);
});

test('a chart whose code does not load says so, beside tables that work', async ({ page }) => {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.route('**/_next/static/**/*.js', async (route) => {
    const response = await route.fetch();
    // An error of the chart library.
    if ((await response.text()).includes('unknown curve')) return route.abort();
    return route.fulfill({ response });
  });
  await open(page, pages.sweep ?? '');
  const failure = page.getByRole('alert').filter({ hasText: 'This chart’s code did not load' });
  await expect(failure.first()).toBeVisible();
  const figure = page.locator('figure').filter({ has: failure });
  expect((await figure.first().boundingBox())?.height, 'no empty space').toBeLessThan(200);
  await page.getByLabel('Find', { exact: true }).fill('transpose padded');
  await expect(page.getByRole('row', { name: /incorrect/ })).toHaveCount(2);
  expect(errors).toEqual([]);
  await page.unrouteAll({ behavior: 'wait' });
  await page.getByRole('button', { name: 'Reload the page' }).first().click();
  await expect(page.locator('figure svg').first()).toBeVisible();
  await expect(failure).toHaveCount(0);
});

test('what a compiler points at stands above its mark', async ({ page }) => {
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`${grid.url}${pages['failed result']}`);
    const quoted = page.locator('p', { hasText: 'acc += tile[row];' });
    const [word, mark] = await quoted.evaluate((element) => {
      const text = element.firstChild as Text;
      return ['tile', '^^^^'].map((part) => {
        const range = document.createRange();
        range.setStart(text, text.data.indexOf(part));
        range.setEnd(text, text.data.indexOf(part) + part.length);
        const { left, right, top } = range.getBoundingClientRect();
        return { left, right, top };
      });
    });
    expect(mark?.left).toBeCloseTo(word?.left ?? 0, 0);
    expect(mark?.right).toBeCloseTo(word?.right ?? 0, 0);
    expect(mark?.top).toBeGreaterThan(word?.top ?? 0);
  }
});

test('the place of the reader is in sight on a phone', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of ['/', '/best', '/docs/measure']) {
    await page.goto(`${grid.url}${path}`);
    await expect(page.locator('nav[aria-label=Main] [aria-current=page]')).toBeInViewport({
      ratio: 1,
    });
  }
});

test.describe('without script', () => {
  test.use({ javaScriptEnabled: false });

  test('forms take no words, which hydration would drop', async ({ page }) => {
    await page.goto(`${grid.url}/join`);
    await expect(page.getByLabel('Your name')).toBeDisabled();
    await expect(page.getByLabel(/^Pause while/)).toBeDisabled();
    await page.goto(`${grid.url}${pages['sweep by hand']}`);
    await expect(page.getByLabel('Shapes')).toBeDisabled();
    await expect(page.getByRole('button', { name: 'Submit sweep' })).toBeDisabled();
    // Locators look over what is in a noscript.
    expect(await page.content()).toContain('This form needs JavaScript');
  });
});

test('the form counts ranges by device, and the login leads back to it', async ({ page }) => {
  await page.goto(`${grid.url}${pages['sweep by hand']}`);
  const count = page.getByRole('region', { name: 'Submit', exact: true });
  await expect(count.getByText('Example Tile 100')).toBeVisible();
  await expect(count.getByText('3 runs; waiting for a worker')).toBeVisible();
  await page.getByLabel('Shapes').fill('64..1024 x2, 96x32x16');
  await expect(count.getByText('6 runs; waiting for a worker')).toBeVisible();

  await count.getByRole('link', { name: 'Log in' }).click();
  await page.getByLabel('Token').fill(grid.adminToken);
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page).toHaveURL(/\/sweeps\/new\?kernel=matmul/);
  await expect(count.getByText('to submit.')).toHaveCount(0);
});

test('a wrong shape is told once, at its field, which takes the focus', async ({ page }) => {
  await page.goto(grid.loginUrl);
  await page.goto(`${grid.url}${pages['sweep by hand']}`);
  const shapes = page.getByLabel('Shapes');
  await shapes.fill('512x512');
  await page.getByRole('button', { name: 'Submit sweep' }).click();
  await expect(shapes).toBeFocused();
  await expect(shapes).toHaveAccessibleDescription(/512x512/);
  await expect(page.getByText('512x512')).toHaveCount(1);
  await shapes.fill('512');
  await expect(shapes).toHaveAccessibleDescription(/^(?!.*512x512)/);
});

/** Goes on with the Tab key until the control has focus. */
async function tabTo(page: Page, name: string, target: Locator): Promise<void> {
  for (let step = 0; step < 200; step++) {
    await page.keyboard.press('Tab');
    if (await target.first().evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`The Tab key does not reach ${name}.`);
}

test('browse, submit and attach by keyboard alone', async ({ page }) => {
  const link = (name: string | RegExp) => page.getByRole('link', { name });
  const follow = async (name: string | RegExp) => {
    await tabTo(page, String(name), link(name));
    await page.keyboard.press('Enter');
  };
  await page.goto(grid.loginUrl);
  await page.goto(`${grid.url}/?op=matmul&shape=1024`);
  await follow(/^matmul\//);
  await expect(page.getByRole('heading', { name: 'Verification' })).toBeVisible();

  await follow('Add your GPU');
  const machine = page.getByRole('textbox', { name: 'Machine' });
  await expect(machine).toBeVisible();
  await tabTo(page, 'Machine', machine);
  await page.keyboard.type('by keyboard');
  await page.keyboard.press('Enter');
  await expect(
    page.locator('code', { hasText: /TILEMARK_TOKEN=tm_worker_/ }).first(),
  ).toBeVisible();

  await follow('Sweeps');
  await follow('New sweep');
  const device = page.getByRole('checkbox', { name: /Example Tile 100/ });
  await expect(device).toBeEnabled();
  await tabTo(page, 'the device', device);
  await page.keyboard.press('Space');
  await tabTo(page, 'Submit', page.getByRole('button', { name: 'Submit sweep' }));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/sweeps\/[0-9a-f-]{36}$/);
  await expect(page.getByText('waiting', { exact: true })).toBeVisible();
});

test('a device is tuned for a family by keyboard alone', async ({ page }) => {
  await page.goto(grid.loginUrl);
  await page.goto(`${grid.url}${pages.device}`);
  const form = page.getByRole('form', { name: 'Tune this device' });
  const family = form.getByLabel('Tune for');
  await expect(family).toBeEnabled();
  await tabTo(page, 'Tune for', family);
  // A list takes the letters that a choice begins with.
  await page.keyboard.type('Transpose');
  await expect(family).toHaveValue('transpose-shapes');
  await expect(form.getByLabel('Shape')).toHaveCount(0);
  const minutes = form.getByLabel('Minutes');
  await tabTo(page, 'Minutes', minutes);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('0');
  await page.keyboard.press('Enter');
  await expect(minutes).toHaveAccessibleDescription(/from 1 to 240/);
  await expect(form.getByText(/from 1 to 240/)).toHaveCount(1);
  await expect(minutes).toBeFocused();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('10');
  await tabTo(page, 'Start tuning', form.getByRole('button', { name: 'Start tuning' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Tune transpose-shapes f32 on/);
  await expect(page.getByRole('main')).toContainText('waiting');
});

test('the failed runs of a sweep are queued again by whoever operates', async ({ page }) => {
  const openSweep = async () => {
    await page.goto(`${grid.url}/operate`);
    await page.getByRole('link', { name: 'Failed runs' }).click();
    await page.getByRole('link', { name: 'Fails in its device' }).click();
    await expect(page.getByRole('main')).toContainText('the device was lost');
  };
  const retry = page.getByRole('button', { name: 'Retry failed' });
  await openSweep();
  // A visitor only looks.
  await expect(retry).toHaveCount(0);
  await page.goto(grid.loginUrl);
  await page.goto(`${grid.url}/operate`);
  const queues = page.getByRole('table', { name: 'Queues by device' });
  const queue = queues.getByRole('row', { name: /^Example Tile 100/ });
  const waiting = async () => Number(await queue.getByRole('cell').nth(1).textContent());
  const before = await waiting();
  await openSweep();
  await retry.click();
  await expect(retry).toHaveCount(0);
  await page.goto(`${grid.url}/operate`);
  await expect.poll(waiting).toBe(before + 1);
});

test('an invite pasted into a tab that shows /join already is taken', async ({ page }) => {
  const { secret } = await post(grid, 'invites', { name: 'class', seats: 1, hours: 1 });
  await page.goto(`${grid.url}/join`);
  const needed = page.getByText('To lend your GPU you need an invite');
  await expect(needed).toBeVisible();
  // Nothing is loaded: the addresses differ after the # alone.
  await page.goto(`${grid.url}/join#${secret}`);
  await expect(needed).toHaveCount(0);
  expect(page.url()).toBe(`${grid.url}/join`);
});

test('the page of a long kernel is light, and has all of its code on demand', async ({
  browser,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const answer = await page.goto(`${grid.url}/kernels/matmul/stream-k?UNROLL=8`);
  expect((await answer?.body())?.length).toBeLessThan(400_000);
  const { wgsl } = await (
    await fetch(`${grid.url}/api/v1/kernels/matmul/stream-k?UNROLL=8`)
  ).json();
  const end = wgsl.trimEnd().slice(-200);
  const code = page.getByRole('region', { name: /^WGSL of matmul\/stream-k\[/ });
  await expect(code).toContainText(wgsl.slice(0, 200));
  await expect(code).not.toContainText(end);
  await page.getByRole('link', { name: /^Show all [\d,]+ lines of the WGSL of [^ ]+$/ }).click();
  await expect(code).toContainText(end);
  await page.getByRole('link', { name: /^Show less/ }).click();
  await expect(code).not.toContainText(end);
  // The answer of the best kernel has such code too.
  const best = `${grid.url}/best?m=4096&n=4096&k=4096&vendor=nvidia`;
  const long = await page.goto(best);
  expect((await long?.body())?.length).toBeLessThan(400_000);
  await page.getByRole('link', { name: /^Show all [\d,]+ lines of the WGSL of / }).click();
  await expect(page).toHaveURL(/m=4096.*show=wgsl/);
  await expect(page.getByRole('link', { name: /^Show less/ })).toBeVisible();
  await page.goto(`${grid.url}/kernels/matmul/stream-k?UNROLL=8`);
  await page.getByText(/^Compared with matmul/).click();
  const diff = page.getByRole('region', { name: /compared with/ });
  const lines = await diff.locator('.line').count();
  await page.getByRole('link', { name: /^Show all [\d,]+ lines .* compared with/ }).click();
  await expect.poll(() => diff.locator('.line').count()).toBeGreaterThan(lines);
  await context.close();
});

test('the tables of the primers break no name in two', { tag: '@full' }, async ({ page }) => {
  await page.goto(`${grid.url}/docs/operate`);
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    const name = page
      .locator('td:first-child code', { hasText: /^TILEMARK_SESSION_SECRET$/ })
      .first();
    expect(await name.evaluate((code) => code.getClientRects().length)).toBe(1);
  }
});

test('the editor of kernels shades code that goes on beyond its edge', { tag: '@full' }, async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${grid.url}/kernels/new`);
  const box = page.locator('.cm-scroller');
  await expect(box).toBeVisible();
  expect(await box.evaluate(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth)).toBe(
    true,
  );
  await expect(box).toHaveCSS('background-image', /gradient/);
});

test('the labels of the best kernel begin with a capital', { tag: '@full' }, async ({ page }) => {
  for (const op of ['matmul', 'transpose']) {
    await page.goto(`${grid.url}/best?op=${op}`);
    // Not those of devices, which have their own names.
    const labels = page.locator('main form label:not(:has(input[type=checkbox]))');
    for (const label of await labels.allTextContents()) {
      expect(label).toMatch(/^[A-Z]/);
    }
  }
});

test('tables of text in the docs are cards on a phone, whose cells say their headings', {
  tag: '@full',
}, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of ['extend', 'faults', 'operate', 'harness-h200']) {
    await page.goto(`${grid.url}/docs/${path}`);
    await page.evaluate(() => document.fonts.ready);
    const tables = page.locator('main section', { has: page.locator('> table') });
    const excess = await tables.evaluateAll((boxes) =>
      boxes.map((box) => box.scrollWidth - box.clientWidth),
    );
    expect(excess.length, path).toBeGreaterThan(0);
    expect(excess, path).toEqual(excess.map(() => 0));
  }
  await page.goto(`${grid.url}/docs/extend`);
  const why = page.locator('td', { hasText: 'RFC 4180' });
  await expect(why).toHaveCSS('display', 'block');
  const said = await why.evaluate((cell) => getComputedStyle(cell, '::before').content);
  expect(said).toMatch(/why this one/);
});

test('no flag in the text of the docs breaks after its hyphens', { tag: '@full' }, async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of ['operate', 'bring']) {
    await page.goto(`${grid.url}/docs/${path}`);
    const flags = page
      .locator('p code span, li code span, td code span')
      .filter({ hasText: /^--/ });
    expect(await flags.count(), path).toBeGreaterThan(1);
    const lines = await flags.evaluateAll((all) => all.map((flag) => flag.getClientRects().length));
    expect(lines, path).toEqual(lines.map(() => 1));
  }
});

test('docs hide no text: what goes on beyond its edge is shaded and scrolls', {
  tag: '@full',
}, async ({ page }) => {
  // Pages are turned faster here than a stranger may.
  await page.goto(grid.loginUrl);
  await page.goto(`${grid.url}/docs`);
  const links = await page
    .locator('main a[href^="/docs/"]')
    .evaluateAll((all) => all.map((link) => new URL((link as HTMLAnchorElement).href).pathname));
  const primers = new Set(links);
  expect(primers.size).toBeGreaterThan(20);
  let wide = 0;
  for (const path of [...primers, '/kernels/matmul/tiled']) {
    await page.goto(`${grid.url}${path}`);
    await page.evaluate(() => document.fonts.ready);
    // Its boxes are laid out by style sheets alone: no page has to be loaded again.
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      const boxes = await page.locator('main').evaluate((main) => {
        for (const folded of main.querySelectorAll('details')) folded.open = true;
        return (
          [...main.querySelectorAll<HTMLElement>('*')]
            .filter(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth)
            .map((box) => ({ box, style: getComputedStyle(box) }))
            // Text for screen readers alone is a pixel wide.
            .filter(({ box, style }) => style.overflowX !== 'visible' && box.clientWidth > 1)
            .map(({ box, style }) => ({
              text: box.textContent?.slice(0, 60),
              isTable: box.querySelector('table') !== null,
              isReached:
                /auto|scroll/.test(style.overflowX) &&
                style.backgroundImage.includes('gradient') &&
                box.tabIndex === 0,
            }))
        );
      });
      wide += boxes.length;
      const hidden = boxes.filter(
        ({ isReached, isTable }) => !isReached || (isTable && width === 1280),
      );
      expect.soft(hidden, `${path} at ${width}`).toEqual([]);
      const cut = await page
        .locator('code.select-all')
        .evaluateAll((all) =>
          all
            .filter(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth)
            .map(({ textContent }) => textContent),
        );
      expect.soft(cut, `commands of ${path} at ${width}`).toEqual([]);
    }
  }
  expect(wide).toBeGreaterThan(0);
});

/** Opens what is folded. */
const unfold = (page: Page) =>
  page.locator('main details').evaluateAll((all) => {
    for (const folded of all as HTMLDetailsElement[]) folded.open = true;
  });

test('no screen cuts a choice or a program', { tag: '@full' }, async ({ page }) => {
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    for (const path of ['/?shape=1024', '/best']) {
      await page.goto(`${grid.url}${path}`);
      await page.evaluate(() => document.fonts.ready);
      await unfold(page);
      const cut = await page.locator('main select').evaluateAll((selects) =>
        (selects as HTMLSelectElement[]).flatMap((select) => {
          // One with this choice alone is as wide as the choice takes.
          const alone = select.cloneNode() as HTMLSelectElement;
          alone.add(new Option(select.selectedOptions[0]?.text));
          alone.style.width = 'max-content';
          select.after(alone);
          const isCut = alone.clientWidth > select.clientWidth;
          alone.remove();
          return isCut ? [`${select.name}: ${select.selectedOptions[0]?.text}`] : [];
        }),
      );
      expect.soft(cut, `${path} at ${width}`).toEqual([]);
    }
  }
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`${grid.url}/best?op=matmul&m=1024&n=1024&k=1024`);
    await unfold(page);
    const program = page.locator('code.select-all', { hasText: 'requestAdapter' });
    expect(await program.evaluate((code) => code.scrollWidth - code.clientWidth)).toBe(0);
  }
});

test('charts draw single points without a warning', async ({ page }) => {
  const warnings: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'warning') warnings.push(message.text());
  });
  const id = await importResults(
    grid,
    ({ problem: { op, shape }, variant: { kernel } }) =>
      op === 'matmul' && 'n' in shape && shape.n === (kernel === 'matmul/naive' ? 256 : 512),
  );
  await open(page, `/sweeps/${id}`);
  await expect(page.getByRole('img', { name: /^Rate by size/ })).toBeVisible();
  expect(warnings).toEqual([]);
});

test('a wrong address is answered with a page that says so', async ({ page }) => {
  const missing = ['/nothing', '/sweeps/none', '/results/none', '/devices/none', '/docs/none'];
  for (const path of [...missing, '/kernels/matmul/none']) {
    const answer = await page.goto(`${grid.url}${path}`);
    expect.soft(answer?.status(), path).toBe(404);
    await expect.soft(page.getByRole('heading', { level: 1 }), path).toHaveText('Page not found');
  }
  const junk = `/?op=conv&shape=${'9'.repeat(5_000)}&profile=%3Cscript%3E`;
  await page.goto(`${grid.url}${junk}`);
  await expect(page.getByText('op cannot be “conv”')).toBeVisible();
  await page.getByRole('link', { name: 'Log in' }).click();
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible();
  await page.goto(grid.loginUrl);
  const frame = () => Promise.all((['banner', 'contentinfo'] as const).map(partOf));
  const partOf = (role: 'banner' | 'contentinfo') => page.getByRole(role).textContent();
  const usual = await frame();
  expect(usual.join()).toContain('Operate');
  for (const path of ['/?op=conv', '/best?m=4', '/nothing', '/sweeps/%E0%A4']) {
    await page.goto(`${grid.url}${path}`);
    expect.soft(await frame(), path).toEqual(usual);
  }
  expect((await page.goto(`${grid.url}/sweeps/%E0%A4`))?.status()).toBe(404);
});

test('every device that a page links has a page', { tag: '@full' }, async ({ page }) => {
  await page.goto(grid.loginUrl);
  /** Asks again when it is told to: nobody may read as many in so short a time. */
  const read = async (path: string): Promise<APIResponse> => {
    const answer = await page.request.get(`${grid.url}${path}`);
    if (answer.status() !== 429) return answer;
    await page.waitForTimeout(1_000 * Number(answer.headers()['retry-after']));
    return read(path);
  };
  const linked = new Set<string>();
  for (const path of Object.values(pages)) {
    const html = await (await read(path)).text();
    for (const [, href = ''] of html.matchAll(/href="(\/devices\/[^"?#]+)/g)) linked.add(href);
  }
  expect(linked.size).toBeGreaterThan(3);
  for (const href of linked) {
    expect.soft((await read(href)).status(), href).toBe(200);
  }
});

test('a page whose frame fails has the places of the others, and no account', async ({ page }) => {
  // A part that is missing fails soon.
  page.setDefaultTimeout(30_000);
  const frame = async () => [
    await page.getByRole('navigation', { name: 'Main' }).textContent(),
    await page.getByRole('contentinfo').textContent(),
  ];
  await page.goto(`${grid.url}/docs`);
  const usual = await frame();
  const account = page.getByRole('banner').getByText(/^Log (in|out)$/);
  await expect(account).toHaveCount(1);
  // What the link to the login makes while it is drawn.
  await page.addInitScript(() => {
    window.URLSearchParams = class extends URLSearchParams {
      constructor(init?: ConstructorParameters<typeof URLSearchParams>[0]) {
        if (Object.hasOwn(Object(init), 'next')) throw new Error('The header cannot be drawn.');
        super(init);
      }
    };
  });
  await page.goto(`${grid.url}/docs`);
  const title = page.getByRole('heading', { level: 1, name: 'Tilemark is not responding' });
  await expect(title).toBeVisible();
  expect(await frame()).toEqual(usual);
  // Who looks, only the server could tell.
  await expect(account).toHaveCount(0);
});

test('the API page heads its groups with words', async ({ page }) => {
  await page.goto(`${grid.url}/docs/api`);
  const headings = await page.getByRole('heading', { level: 2 }).allTextContents();
  expect(headings).toContain('OpenAPI document');
  for (const heading of headings) expect(heading).toMatch(/^[A-Z][A-Za-z ]+$/);
});

test('the docs contain every primer of the repository', async ({ page }) => {
  const files = await readdir(new URL('../docs/', import.meta.url));
  await page.goto(`${grid.url}/docs`);
  for (const file of files.filter((each) => each.endsWith('.md'))) {
    const link = page.locator(`main a[href="/docs/${file.replace('.md', '')}"]`);
    await expect(link.first()).toBeVisible();
  }
  await page.goto(`${grid.url}/docs/measure`);
  const contents = page.getByRole('navigation', { name: 'On this page' });
  await contents.getByRole('link', { name: 'How right is right' }).click();
  await expect(page.getByRole('heading', { name: 'How right is right' })).toBeInViewport();
  await page.getByRole('link', { name: 'As printed' }).click();
  await expect(page).toHaveURL(/\/docs\/statistics$/);
});

test('a figure exported in the dark scheme has a light text on a dark ground, a title and its source', async ({
  page,
}) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await open(page, pages.sweep ?? '');
  const file = (await textOf(page, 'Download SVG')).toString('utf8');
  expect(file).not.toContain('var(--');
  expect(file).toMatch(/<rect [^>]*fill="rgb\(20, 24, 27\)"/);
  expect(file).toMatch(
    /<text [^>]*fill="rgb\(230, 235, 236\)"[^>]*>Rate by variant, matmul [^<]*f32[^<]*Example Tile 100/,
  );
  expect(file).toContain(new URL(page.url()).pathname);
  expect(file).toContain('>Measured ');
  expect(file).toContain('>Data: CC0-1.0. tilemark/sweeps/');
});
