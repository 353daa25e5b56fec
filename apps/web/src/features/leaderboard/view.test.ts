import type { Outcome } from '@tilemark/core';
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
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { boardQuerySchema } from './query';
import { loadView } from './view';

let store: Store;
beforeAll(async () => {
  store = openStore(await testDatabase());
});
afterAll(() => store.close());

test('the heat map opens on the same problem as the board', async () => {
  const openedOf = async (view: string) => {
    const { board } = await loadView(store, boardQuerySchema.parse({ view }));
    return board.problem && shapeText(board.problem);
  };
  expect(await openedOf('devices')).toBe('4096');
  expect(await openedOf('heatmap')).toBe('4096');
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
  const gpu = await attach(store, 'Old card', 'w3');
  const old = (): Outcome => {
    const outcome = measured(1e7);
    if (outcome.kind !== 'measured') throw new Error('not measured');
    return { ...outcome, measurement: { ...outcome.measurement, methodologyVersion: 1 } };
  };
  await recordAll(store, gpu.deviceKey, gpu.workerId, [
    [kernelRun(gpu.deviceKey, 'matmul/naive', square(1024)), old()],
    [kernelRun(gpu.deviceKey, 'matmul/naive', square(Number(opening))), old()],
  ]);
  const { content } = await loadView(store, query);
  const text = renderToStaticMarkup(content as ReactElement).replace(/<[^>]*>/g, '');
  expect(text).toMatch(/easured here, on software adapters or CPUs: matmul 128\./);
  expect(text).toContain('those by an earlier one, methodology 1, are kept apart');
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
