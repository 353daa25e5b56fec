import { chromium, expect, type Page } from '@playwright/test';
import { create } from 'webgpu';
import {
  type BlockedId,
  encode,
  toDevice,
} from '../packages/kernels/src/problem/encoding.test-helper';
import { fromHalves } from '../packages/kernels/src/problem/scalar';
import { ITEMS, type Item, STORAGES, type Storage } from '../packages/kernels/src/problem/storage';
import { test } from './fixtures';

/** The program that /best shows for weights in blocks, run as it is in Node and in Chromium. */

const SHAPE = { m: 2, n: 256, k: 512 };

// Kept: Dawn ends with it.
const gpu = create([]);

interface Weights {
  /** The contents of A and of each part of B. */
  readonly inputs: readonly Uint8Array[];
  /** A times the weights as they are decoded. */
  readonly product: Float32Array;
}

/** Rows of weights as a storage rounds them, and what they make of some rows of A. */
function weightsIn(id: BlockedId, itemOfA: Item): Weights {
  const { m, n, k } = SHAPE;
  const storage: Storage = STORAGES[id];
  const a = Float32Array.from({ length: m * k }, (_, i) => ((i * 37) % 64) / 64 - 0.5);
  const rows = Array.from({ length: n }, (_, row) =>
    Float32Array.from({ length: k }, (_, p) => Math.sin(row * k + p) + 0.25),
  );
  const encoded = rows.map((row) => encode(id, row));
  const parts = storage.parts.map(({ item }, at) => {
    const items = encoded.flatMap((row) => row[at] ?? []);
    const bytes = toDevice(item, items);
    return { bytes, values: item.fromDevice(bytes.buffer, items.length) };
  });
  const [values, scales, zeros] = parts.map((part) => part.values);
  const weight = (i: number) => (values![i]! - (zeros?.[i >> 5] ?? 0)) * scales![i >> 5]!;
  const product = Float32Array.from({ length: m * n }, (_, i) => {
    let sum = 0;
    for (let p = 0; p < k; p++) sum += a[Math.floor(i / n) * k + p]! * weight((i % n) * k + p);
    return sum;
  });
  return { inputs: [toDevice(itemOfA, a), ...parts.map(({ bytes }) => bytes)], product };
}

/** The program that the page shows, with a reader's own matrices instead of its ones. */
async function programOf(page: Page, url: string, dtype: string): Promise<string> {
  const query = new URLSearchParams({
    ...Object.fromEntries(Object.entries(SHAPE).map(([name, size]) => [name, `${size}`])),
    ...{ op: 'matmul', dtype, gpu: 'nvidia' },
  });
  await page.goto(`${url}/best?${query}`);
  const shown = await page
    .locator('details', { hasText: 'A program that asks' })
    .locator('code')
    .textContent();
  let input = 0;
  const program = (shown ?? '').replace(
    /^const (\w+) = new (\w+)\(.*\.fill\(.*$/gm,
    (_line, name, array) => `const ${name} = new ${array}(inputs[${input++}].buffer);`,
  );
  expect(input, 'inputs of the program').toBeGreaterThan(2);
  return `${program}\nreturn output;`;
}

function expectProduct(output: Float32Array, { product }: Weights, digits: number) {
  expect(output).toHaveLength(product.length);
  for (const [i, want] of product.entries())
    expect(output[i], `element ${i}`).toBeCloseTo(want, digits);
}

/** What an NVIDIA GPU calls itself, with what this machine's can. */
const asNvidia = async () => {
  const adapter = await gpu.requestAdapter();
  return {
    info: { vendor: 'nvidia', architecture: 'hopper' },
    limits: adapter?.limits,
    features: adapter?.features,
    requestDevice: (wanted: GPUDeviceDescriptor) => adapter?.requestDevice(wanted),
  };
};

test('q4_0 and MatMulNBits of few rows: the program of /best multiplies in Node and in Chromium', async ({
  example: { grid },
  page,
}) => {
  const q4 = await programOf(page, grid.url, 'f16-q4');
  const run = new Function('navigator', 'inputs', `return (async () => {${q4}})();`);
  const weights = weightsIn('q4_0', ITEMS.f16);
  const navigator = { gpu: { requestAdapter: asNvidia } };
  const output = new Uint16Array(await run(navigator, weights.inputs));
  expectProduct(fromHalves(output), weights, 1);

  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      ...['--headless', '--no-sandbox', '--disable-quic', '--no-first-run'],
      ...['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'],
    ],
  });
  const tab = await browser.newPage();
  /** In the page, as a script of it. */
  const inPage = (program: string, { inputs }: Weights): Promise<number[]> =>
    tab.evaluate(`(async () => {
      const inputs = ${JSON.stringify(inputs.map((bytes) => [...bytes]))}.map((bytes) => new Uint8Array(bytes));
      const output = await (async () => {${program}})();
      return [...new Uint8Array(output)];
    })()`);
  for (const [dtype, storage] of [
    ['f32-q4', 'nbits4'],
    ['f32-q4z', 'nbits4z'],
  ] as const) {
    const program = await programOf(tab, grid.url, dtype);
    const ofBlocks = weightsIn(storage, ITEMS.f32);
    const bytes = Uint8Array.from(await inPage(program, ofBlocks));
    expectProduct(new Float32Array(bytes.buffer), ofBlocks, 3);
  }
  // This machine's browser has no halves, and the program says so.
  await programOf(tab, grid.url, 'f16-q4');
  await expect(inPage(q4, weights)).rejects.toThrow('The adapter does not have shader-f16');
  await browser.close();
});
