import { expect, type Page } from '@playwright/test';
import { test } from './fixtures';
import type { Grid } from './grid';

/** Browse and compare: the views of the leaderboard and the best kernel of a problem. */

let grid: Grid;

test.beforeAll(({ example }) => {
  grid = example.grid;
});

/** Of devices. */
const rows = (page: Page) =>
  page.getByRole('region', { name: /^Leaderboard/ }).locator('tbody th[scope=row]');

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
    await page.goto(`${grid.url}/?shape=96`);
    await expect(
      page.getByText('No device has measured matmul 96 f32 under default yet'),
    ).toBeVisible();
  }
});

test('every device that measured the problem has a row, and what others measured stands below', async ({
  page,
}) => {
  await page.goto(`${grid.url}/?shape=1024`);
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).nth(1)).toContainText('llvmpipe');
  const elsewhere = page.getByRole('region', { name: 'Measured elsewhere' });
  await expect(elsewhere).toContainText('never ranked');
  await elsewhere.locator('summary').click();
  await expect(elsewhere.getByRole('row', { name: /TensorFlow\.js/ })).toHaveCount(1);
});

test('on a phone the first figure is in the first screen, and the profile is one tap away', async ({
  browser,
}) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  const check = async (who: string) => {
    await page.goto(grid.url);
    await expect(page.getByRole('grid', { name: /by M and K, f32$/ })).toBeInViewport();
    for (const path of ['/?shape=1024', '/?dtype=i32']) {
      await page.goto(`${grid.url}${path}`);
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

test('no board is wider than a desk’s screen', { tag: '@full' }, async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 844 });
  for (const op of ['matmul', 'transpose']) {
    await page.goto(`${grid.url}/?op=${op}`);
    const shapes = await page
      .getByLabel('Shape')
      .locator('option')
      .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
    for (const shape of shapes) {
      await page.goto(`${grid.url}/?op=${op}&shape=${shape}`);
      const excess = await page
        .getByRole('region', { name: /^Leaderboard/ })
        .evaluateAll((boxes) => boxes.map((box) => box.scrollWidth - box.clientWidth));
      expect.soft(excess, `${op} ${shape}`).toEqual(excess.map(() => 0));
    }
  }
});

test('portability says how near each variant comes to the best of every device', async ({
  page,
}) => {
  await page.goto(`${grid.url}/?shape=1024&view=portability&groups=gpu,software`);
  const row = page.getByRole('row', { name: /^matmul\/naive/ }).first();
  await expect(row).toContainText(/%.*2 of 2/);
});

test('each view with results is exported as it is shown', async ({ page, request }) => {
  for (const [view, column] of [
    ['devices', 'speedup_over_naive'],
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
  await expect(table.getByText('timed under fast').first()).toBeVisible();
  for (const [name, start] of [
    ['JSON', '{ "notices": ["NOT TIMED: '],
    ['CSV', '# NOT TIMED: nobody has timed '],
    ['JavaScript module', '// NOT TIMED: nobody has timed '],
    ['ggml table', '// NOT TIMED: nobody has timed '],
    ['ONNX Runtime table', '// NOT TIMED: nobody has timed '],
  ] as const) {
    const link = page.getByRole('link', { name, exact: true });
    const href = await link.getAttribute('href');
    // Five files of all rows are more than one reader may have at once.
    const read = async () => {
      const answer = await request.get(`${grid.url}${href}`);
      return answer.ok() ? (await answer.text()).slice(0, start.length) : answer.statusText();
    };
    await expect.poll(read, { message: name, timeout: 30_000 }).toBe(start);
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
