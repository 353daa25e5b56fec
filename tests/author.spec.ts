import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from '@playwright/test';
import { create } from 'webgpu';
import { test } from './fixtures';

/** The author of a WebGPU library: a table of kernels for their shapes and vendors, as a file that runs. */

const SHAPES = ['1x2048x2048', '64x2048x2048'] as const;

// Kept: Dawn ends with it.
const gpu = create([]);

/** -1, 0 and 1, whose products of these sizes are whole numbers that halves can say. */
const valueAt = (index: number, seed: number) =>
  ((Math.imul(index + 1, 0x9e3779b1 * seed) >>> 12) % 3) - 1;

/** As the bits of halves. */
const matrix = (items: number, seed: number) =>
  Uint16Array.from({ length: items }, (_, at) => {
    const value = valueAt(at, seed);
    return value === 0 ? 0 : value > 0 ? 0x3c00 : 0xbc00;
  });

/** Of a whole number of at most 11 bits. */
function wholeOf(half: number): number {
  const size = (half & 0x3ff) + 0x400;
  const exponent = ((half >> 10) & 0x1f) - 25;
  if ((half & 0x7fff) === 0) return 0;
  return (half >> 15 ? -1 : 1) * size * 2 ** exponent;
}

test('f16 decode and prefill for three vendors: one table, and its module multiplies', async ({
  example: { grid },
  page,
}) => {
  await page.goto(`${grid.url}/best`);
  await page.getByLabel('Shapes', { exact: true }).fill(SHAPES.join(' '));
  await page.getByLabel('Element type').selectOption('f16');
  for (const chosen of await page.getByRole('checkbox', { checked: true }).all()) {
    await chosen.uncheck();
  }
  await page.getByText('Other vendors').click();
  for (const name of ['NVIDIA H200 shipped', 'Apple unmeasured', 'AMD unmeasured']) {
    await page.getByRole('checkbox', { name }).check();
  }
  await page.getByRole('button', { name: 'Find kernels' }).click();
  const rows = page
    .getByRole('table', { name: 'Kernels of matmul by shape and GPU' })
    .locator('tbody')
    .getByRole('row');
  await expect(rows).toHaveCount(6);
  // Products of 64 rows were timed there by matrices of subgroups alone, which no browser has.
  await expect(rows.filter({ hasText: 'NVIDIA H200' }).filter({ hasText: '±' })).toHaveCount(1);
  await expect(rows.filter({ hasText: 'unmeasured: portable default' })).toHaveCount(5);

  const saved = page.waitForEvent('download');
  await page.getByRole('link', { name: 'JavaScript module' }).click();
  const folder = await mkdtemp(join(tmpdir(), 'tilemark-bundle-'));
  const file = join(folder, (await saved).suggestedFilename());
  await (await saved).saveAs(file);
  const { kernelFor, requirements } = await import(pathToFileURL(file).href);
  await rm(folder, { recursive: true });

  // NVIDIA's decode needs subgroups of 32 threads, which this device does not have: another row runs.
  for (const vendor of ['nvidia', 'apple', 'amd']) {
    const adapter = await gpu.requestAdapter();
    const device = await adapter?.requestDevice(requirements(adapter));
    for (const shape of SHAPES) {
      const [m, n, k] = shape.split('x').map(Number) as [number, number, number];
      const inputs = [matrix(m * k, 1), matrix(k * n, 2)];
      const kernel = await kernelFor(device, shape, { vendor });
      expect(kernel.dtype).toBe('f16');
      const output = new Uint16Array(await kernel.run(inputs));
      expect(output).toHaveLength(m * n);
      for (let at = 0; at < m * n; at += 611) {
        const [row, col] = [Math.floor(at / n), at % n];
        let want = 0;
        for (let p = 0; p < k; p++) want += valueAt(row * k + p, 1) * valueAt(p * n + col, 2);
        expect(wholeOf(output[at] ?? 0), `${vendor} ${shape} at ${row}, ${col}`).toBe(want);
      }
    }
    device?.destroy();
  }
});
