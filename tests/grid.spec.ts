import { expect, test } from '@playwright/test';
import { emptyDataFolder, type Grid, startGrid } from './grid';

/** The whole chain as a user meets it: start, log in, submit, watch, read the board, restart. */

let grid: Grid;
let folder: Awaited<ReturnType<typeof emptyDataFolder>>;

test.describe.configure({ mode: 'serial' });

test.beforeAll(async () => {
  test.setTimeout(300_000);
  folder = await emptyDataFolder();
  grid = await startGrid(folder.dataDir);
});

test.afterAll(async () => {
  await grid?.stop();
  await folder?.remove();
});

/** Whether a worker of a device with this name is attached. */
async function attached(name: RegExp): Promise<boolean> {
  const { items } = await (await fetch(`${grid.url}/api/v1/workers`)).json();
  return items.some((worker: { device: { name: string } }) => name.test(worker.device.name));
}

test('a sweep submitted through the form arrives on the leaderboard', async ({ page }) => {
  await expect.poll(() => attached(/llvmpipe/), { timeout: 60_000 }).toBe(true);
  await page.goto(grid.loginUrl);
  await page.goto(`${grid.url}/sweeps/new`);
  const form = page.getByRole('form', { name: 'New sweep' });
  await form.getByLabel('Suite', { exact: true }).selectOption('layouts');
  await form.getByLabel(/^n, /).fill('65');
  await form.getByLabel('Policy', { exact: true }).selectOption('smoke');
  await form.getByText('llvmpipe').click();
  await expect(form.getByText(/^5\s*runs$/)).toBeVisible();
  await form.getByLabel('Name', { exact: true }).fill('Layouts at 65');
  await form.getByRole('button', { name: 'Submit sweep' }).click();

  await expect(page.getByRole('heading', { name: 'Layouts at 65' })).toBeVisible();
  // Live: nothing reloads the page but the events of the server.
  await expect(page.getByText('5 of 5 runs ended')).toBeVisible({ timeout: 150_000 });
  await expect(page.getByRole('row', { name: /measured/i })).toHaveCount(5);

  await page.goto(`${grid.url}/?op=matmul&dtype=f32&shape=65&profile=default`);
  const row = page.getByRole('row', { name: /llvmpipe/ });
  await expect(row).toBeVisible();
  await expect(row).toContainText(/matmul\/(naive|tiled)/);
});

test('a kill and a restart lose nothing', async ({ page }) => {
  const before = await (await fetch(`${grid.url}/api/v1/sweeps`)).json();
  // As the machine would end: no part gets to tidy up.
  await grid.stop('SIGKILL');
  grid = await startGrid(folder.dataDir);
  const after = await (await fetch(`${grid.url}/api/v1/sweeps`)).json();
  const ids = (list: { items: { id: string }[] }) => list.items.map(({ id }) => id);
  expect(ids(after)).toEqual(ids(before));
  await page.goto(`${grid.url}/?op=matmul&dtype=f32&shape=65&profile=default`);
  await expect(page.getByRole('row', { name: /llvmpipe/ })).toBeVisible();

  // The starter suite, interrupted by the kill, ends; each of its runs in one outcome.
  const starter = () =>
    fetch(`${grid.url}/api/v1/sweeps`)
      .then((answer) => answer.json())
      .then((list) =>
        list.items.filter((sweep: { suite: string | null }) => sweep.suite?.startsWith('starter')),
      );
  await expect
    .poll(async () => (await starter()).map((sweep: { status: string }) => sweep.status), {
      timeout: 200_000,
    })
    .toEqual(['done', 'done']);
  for (const { counts } of await starter()) {
    expect(counts.measured + counts.skipped).toBe(counts.total);
  }
});

test('Ctrl-C ends every part', async () => {
  expect(await grid.stop('SIGINT')).toBe(0);
  await expect(fetch(`${grid.url}/api/v1/health`)).rejects.toThrow();
});
