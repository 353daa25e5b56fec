import { expect, type Page } from '@playwright/test';
import { test } from './fixtures';
import type { Grid } from './grid';

/** Browse and compare: the views of the leaderboard and the best kernel of a problem. */

let grid: Grid;

test.beforeAll(({ example }) => {
  grid = example.grid;
});

/** Of devices: those of the reference lead nowhere. */
const rows = (page: Page) => page.locator('main table tbody th[scope=row]:has(a)');

test('the first screen says which kernel wins where on the H200, and each cell leads to the answer', async ({
  page,
}) => {
  await page.goto(grid.url);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('fastest on your GPU');
  await expect(page.getByRole('heading', { level: 2, name: /on NVIDIA H200$/ })).toBeVisible();
  // The others lead to their maps.
  const others = page.getByRole('navigation', { name: 'Other devices' });
  await expect(others.getByRole('link', { name: 'NVIDIA H200' })).toHaveCount(0);
  for (const dtype of ['f32', 'f16']) {
    const map = page.getByRole('grid', { name: new RegExp(`by M and K, ${dtype}$`) });
    await expect(map).toBeInViewport();
    expect(await map.getByRole('link').count()).toBeGreaterThan(80);
  }
  // The map is one stop of the Tab key; arrows go through its cells.
  const map = page.getByRole('grid', { name: /by M and K, f32$/ });
  const stops = map.locator('a:not([tabindex="-1"])');
  await expect(stops).toHaveCount(1);
  await stops.focus();
  await page.keyboard.press('ArrowDown');
  await expect(stops).toBeFocused();
  await page.keyboard.press('Home');
  await page.keyboard.press('End');
  await expect(stops).toHaveCount(1);
  await expect(stops).toBeFocused();
  await map.getByRole('row', { name: /^4k/ }).getByRole('link').first().click();
  await expect(page).toHaveURL(/\/best\?.*shapes=1x/);
  // Whoever asks for something is shown that.
  await page.goto(`${grid.url}/?dtype=f16`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Leaderboard');
});

test('a problem that nothing has measured says so, on a phone too', async ({ page }) => {
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`${grid.url}/?shape=96&groups=gpu,reference`);
    await expect(
      page.getByText('No device shown has measured matmul 96 f32 under default yet'),
    ).toBeVisible();
  }
});

test('groups are switched on and off, and the address keeps them', async ({ page }) => {
  await page.goto(`${grid.url}/?shape=1024`);
  // A GPU has measured it, so software is not shown unless it is asked for.
  await expect(rows(page)).toHaveCount(1);
  const advanced = page.getByText(/^Advanced: profile default; GPUs/);
  await advanced.click();
  await page.getByRole('checkbox', { name: 'Software adapters' }).check();
  await expect(page).toHaveURL(/groups=gpu&groups=software/);
  await expect(rows(page)).toHaveCount(2);
  await page.reload();
  await advanced.click();
  await expect(page.getByRole('checkbox', { name: 'Software adapters' })).toBeChecked();
  await page.getByRole('checkbox', { name: 'GPUs' }).uncheck();
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText('llvmpipe');
  await page.getByRole('checkbox', { name: 'Reference' }).uncheck();
  const libraries = page.getByRole('row', { name: /TensorFlow\.js/ });
  await expect(libraries).toHaveCount(0);
  await page.getByRole('checkbox', { name: 'Reference' }).check();
  await expect(libraries).toHaveCount(1);
  await expect(page.getByRole('row', { name: /never ranked/ })).toBeVisible();
});

test('the heat map marks the best kernel of each device and leads to its measurement', async ({
  page,
}) => {
  await page.goto(`${grid.url}/?shape=1024&groups=gpu,software`);
  await page.getByRole('link', { name: 'Devices × kernels' }).click();
  const table = page.getByRole('grid');
  await expect(table.getByRole('row')).toHaveCount(3);
  await expect(table.getByText('★')).toHaveCount(2);
  await expect(table.getByText('imported', { exact: true }).first()).toBeVisible();
  await table.getByRole('link', { name: /best:/ }).first().click();
  await expect(page).toHaveURL(/\/results\//);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('matmul/tiled');
});

test('on a phone the first figure is in the first screen, and the profile is one tap away', async ({
  browser,
}) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  const noGpu = page.getByText('This site has no');
  const check = async (who: string) => {
    await page.goto(grid.url);
    await expect(page.getByRole('grid', { name: /by M and K, f32$/ })).toBeInViewport();
    for (const path of ['/?shape=1024&groups=gpu,software,reference', '/?dtype=i32']) {
      await page.goto(`${grid.url}${path}`);
      await expect(noGpu).toHaveCount(path.includes('i32') ? 1 : 0);
      const figure = page.locator('main').getByText(/^\d[\d,.]+$/);
      const box = await figure.filter({ visible: true }).first().boundingBox();
      expect.soft((box?.y ?? 844) + (box?.height ?? 0), `${who} ${path}`).toBeLessThan(844);
    }
  };
  await check('anonymous');
  await page.goto(grid.loginUrl);
  await check('admin');
  const profile = page.getByLabel('Profile', { exact: true });
  await expect(profile).toBeHidden();
  await page.getByText(/^Advanced: profile default/).click();
  await profile.selectOption('fast');
  await expect(page).toHaveURL(/profile=fast/);
  await expect(profile).toBeVisible();
  await context.close();
});

test('the heat map is drawn once, and on a phone a device is a card of its kernels', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${grid.url}/?shape=1024&view=heatmap&groups=gpu,software`);
  const best = page.locator('main').getByRole('link', { name: /best:/ });
  await expect(best).toHaveCount(2);
  const cell = page.locator('main td[data-head]', { has: page.getByText('best:') }).first();
  expect(
    await cell.evaluate((each) => getComputedStyle(each, '::before').content),
    'the name of the kernel',
  ).toContain('tiled');
  // A kernel that a device has not run takes no line.
  for (const empty of await page.locator('main td[data-void]').all()) {
    await expect(empty).toBeHidden();
  }
});

test('no board is wider than a desk’s screen', { tag: '@full' }, async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 844 });
  for (const op of ['matmul', 'transpose']) {
    await page.goto(`${grid.url}/?op=${op}&groups=gpu,software,cpu,reference`);
    const shapes = await page
      .getByLabel('Shape')
      .locator('option')
      .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
    for (const shape of shapes) {
      await page.goto(`${grid.url}/?op=${op}&shape=${shape}&groups=gpu,software,cpu,reference`);
      const excess = await page
        .getByRole('region', { name: /^Leaderboard/ })
        .evaluateAll((boxes) => boxes.map((box) => box.scrollWidth - box.clientWidth));
      expect.soft(excess, `${op} ${shape}`).toEqual(excess.map(() => 0));
    }
  }
});

test('portability says what a variant costs everywhere', async ({ page }) => {
  await page.goto(`${grid.url}/?shape=1024&view=portability&groups=gpu,software`);
  await expect(page.getByText('Costs nothing on the 2 devices that measured it.')).toBeVisible();
  await page
    .getByRole('link', { name: /What matmul\/naive.* costs everywhere/ })
    .first()
    .click();
  await expect(page).toHaveURL(/ship=matmul%2Fnaive/);
  await expect(page.getByText(/more time/).first()).toBeVisible();
  const answer = await page.goto(`${grid.url}/?shape=1024&view=portability&ship=matmul/none`);
  expect(answer?.status()).toBe(404);
});

test('each view with results is exported as it is shown', async ({ page, request }) => {
  for (const [view, column] of [
    ['devices', 'speedup_over_naive'],
    ['heatmap', 'part_of_best'],
    ['portability', 'geometric_mean_of_part_of_best'],
  ]) {
    await page.goto(`${grid.url}/?shape=1024&view=${view}`);
    const href = await page.getByRole('link', { name: 'CSV' }).getAttribute('href');
    const answer = await request.get(`${grid.url}${href}`);
    expect(answer.headers()['content-type']).toContain('text/csv');
    const [header, ...lines] = (await answer.text()).trim().split('\r\n');
    expect(header).toContain(column);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toMatch(/^matmul,1024,f32,default,/);
  }
  await page.goto(`${grid.url}/?dtype=i32`);
  await expect(page.getByRole('link', { name: 'CSV' })).toHaveCount(0);
});

test('the workbench answers for many shapes and GPUs, by form and by link, and each row leads to its WGSL', async ({
  page,
  request,
}) => {
  await page.goto(grid.url);
  await page.getByRole('link', { name: 'Find the kernel for your shapes' }).click();
  const table = page.getByRole('table', { name: /^Kernels of matmul by shape and GPU/ });
  await expect(table).toBeVisible();
  await page.getByLabel('Or a suite').selectOption('Llama-3.1-8B, decode (M = 1)');
  await page.getByLabel('Shapes', { exact: true }).fill('');
  await page.getByLabel('Element type').selectOption('f16');
  await page.getByText('Other vendors').click();
  for (const gpu of ['NVIDIA H200 shipped', 'Apple unmeasured', 'AMD unmeasured']) {
    await page.getByRole('checkbox', { name: gpu }).check();
  }
  await page.getByRole('button', { name: 'Find kernels' }).click();
  await expect(page).toHaveURL(/suite=llama-3.1-8b-decode/);
  await table.getByRole('link', { name: /^Show all \d+$/ }).click();
  await expect(page).toHaveURL(/rows=all/);
  expect(await table.getByRole('row').count()).toBeGreaterThan(12);
  await expect(table.getByText('unmeasured: portable default').first()).toBeVisible();
  await expect(table.getByText('f16 is not offered under default').first()).toBeVisible();
  for (const [name, start] of [
    ['JSON', '{'],
    ['CSV', 'gpu,op,dtype,profile,b,m,n,k,kernel,'],
    ['WGSL bundle', '// matmul f16'],
    ['ggml table', '// matmul f16'],
    ['ONNX Runtime table', '// matmul f16'],
  ] as const) {
    const link = page.getByRole('link', { name, exact: true });
    const answer = await request.get(`${grid.url}${await link.getAttribute('href')}`);
    expect((await answer.text()).startsWith(start), name).toBe(true);
  }
  await table
    .getByRole('link', { name: /on Apple: WGSL and program$/ })
    .first()
    .click();
  await expect(table.getByRole('row')).toHaveCount(2);
  await expect(page.getByRole('region', { name: /^WGSL of/ })).toContainText('enable f16;');
  await page.getByText('A program that asks this grid').click();
  await expect(page.getByText("dtype: 'f16'")).toBeVisible();
});
