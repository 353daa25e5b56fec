import { openStore, type Store } from '@tilemark/core/server';
import { shapeText } from '@tilemark/kernels';
import { isValidElement, type ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../../../packages/core/services.test-helper';
import {
  attach,
  kernelRun,
  measured,
  recordAll,
  square,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { boardQuerySchema } from './query';
import { loadView } from './view';

let store: Store;
beforeAll(async () => {
  store = openStore(await testDatabase());
});
afterAll(() => store.close());

const openedOf = async (query: Record<string, string>) => {
  const { board, content } = await loadView(store, boardQuerySchema.parse(query));
  return {
    shape: board.problem && shapeText(board.problem),
    html: isValidElement(content) ? renderToStaticMarkup(content) : '',
  };
};

test('of the reference alone, the heat map opens where most kernels were compared', async () => {
  expect((await openedOf({ view: 'devices' })).shape).toBe('4096');
  const { html, shape } = await openedOf({ view: 'heatmap' });
  expect(shape).toBe('2048');
  expect(html).toContain('one kernel only');
  expect(html).toContain('on GPUs (not counted: Browsers, Software adapters, Host CPUs)');
  expect((await openedOf({ view: 'heatmap', shape: '4096' })).shape).toBe('4096');
});

test('the heat map says which figures have no kernel of ours, and where they are', async () => {
  const { html } = await openedOf({ view: 'heatmap', shape: '2048' });
  const text = html.replace(/<[^>]*>/g, '');
  expect(text).toMatch(/other code than these kernels: .*cuBLAS/);
  expect(text).toMatch(/other code than these kernels: .*reports on NVIDIA GeForce RTX 3080/);
  const [, href = ''] = html.match(/href="([^"]*)"[^>]*>the board of this problem/) ?? [];
  expect(href).toContain('view=devices');
  expect(href).toContain('shape=2048');
});

test('the board names what is faster under another profile, as the heat map does', async () => {
  for (const view of ['devices', 'heatmap']) {
    const { html } = await openedOf({ view, shape: '1024' });
    expect(html, view).toMatch(
      /Fastest kernel under .*NVIDIA H200 37,\d{3} GFLOP\/s with warp-tile/,
    );
  }
});

test('the board names a kernel that is known under another profile alone', async () => {
  const { html } = await openedOf({ dtype: 'f16', shape: '4096' });
  expect(html).toMatch(
    /Fastest kernel under .*profile fast.*NVIDIA H200 \d{3},\d{3} GFLOP\/s with subgroup-matrix/,
  );
  expect(html).toContain('This site has no f16 matmul result of a GPU, measured or imported,');
});

test('what software adapters and CPUs have is told apart from what GPUs had under an earlier protocol', async () => {
  const query = boardQuerySchema.parse({ dtype: 'i32' });
  const { board, hasOwn } = await loadView(store, query);
  const opening = board.problem && shapeText(board.problem);
  expect([opening === null, hasOwn]).toEqual([false, false]);
  const square = (n: number) => ({ op: 'matmul', shape: { m: n, n, k: n }, dtype: 'i32' }) as const;
  const soft = await attach(store, 'Integer adapter', 'w2', 'software');
  await recordAll(store, soft.deviceKey, soft.workerId, [
    [kernelRun(soft.deviceKey, 'matmul/naive', square(128)), measured(1e6)],
  ]);
  const { content } = await loadView(store, query);
  const text = renderToStaticMarkup(content as ReactElement).replace(/<[^>]*>/g, '');
  expect(text).toMatch(/easured here, on software adapters or CPUs: matmul 128\./);
});

test('groups that hide every device are not taken for a profile without results', async () => {
  const { deviceKey, workerId } = await attach(store, 'Adapter', 'w1', 'software');
  const run = kernelRun(deviceKey, 'matmul/naive');
  await recordAll(store, deviceKey, workerId, [
    [run, measured(1e6)],
    [{ ...run, profile: 'fast' }, measured(1e6)],
  ]);
  const { content } = await loadView(store, boardQuerySchema.parse({ groups: 'gpu' }));
  const html = isValidElement(content) ? renderToStaticMarkup(content) : '';
  expect(html).toContain('No device shown has measured matmul 64 f32 under default yet');
  expect(html).not.toContain('Nothing in f32');
});

test('a heat map of devices opens where they have most kernels, unless it has several', async () => {
  const { deviceKey, workerId } = await attach(store, 'Card', 'w2', 'gpu');
  const on = (kernel: string, n: number) => kernelRun(deviceKey, kernel, square(n));
  await recordAll(store, deviceKey, workerId, [
    [on('matmul/naive', 96), measured(1e6)],
    [on('matmul/tiled', 96), measured(1e6)],
    [on('matmul/tiled', 160), measured(1e6)],
  ]);
  const heatMap = { view: 'heatmap', groups: 'gpu' };
  expect((await openedOf({ groups: 'gpu' })).shape).toBe('160');
  expect((await openedOf(heatMap)).shape).toBe('96');
  await recordAll(store, deviceKey, workerId, [[on('matmul/naive', 160), measured(1e6)]]);
  expect((await openedOf(heatMap)).shape).toBe('160');
});

test('a bar of one group is as long as its rate is beside the fastest of any', async () => {
  const { deviceKey, workerId } = await attach(store, 'Other card', 'w3', 'gpu');
  const run = kernelRun(deviceKey, 'matmul/naive', square(1024));
  await recordAll(store, deviceKey, workerId, [[run, measured(1e6)]]);
  const { html } = await openedOf({ shape: '1024', groups: 'gpu,reference' });
  const scales = html.match(/a full bar is [\d,]+/g) ?? [];
  // Of the GPUs and of the reference, in the table and on a phone.
  expect(scales).toHaveLength(4);
  expect(new Set(scales)).toEqual(new Set([expect.stringMatching(/\d\d,\d{3}$/)]));
});

test('a row states over how many runs its median is', async () => {
  const { deviceKey, workerId } = await attach(store, 'Repeated card', 'w4', 'gpu');
  const run = kernelRun(deviceKey, 'matmul/naive', square(224));
  await recordAll(store, deviceKey, workerId, [
    [run, measured(1e6)],
    [run, measured(1.01e6)],
  ]);
  const { html } = await openedOf({ shape: '224', groups: 'gpu' });
  // In the table and on a phone.
  expect(html.match(/median of 2 runs/g)).toHaveLength(2);
});
