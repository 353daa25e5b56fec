import { openStore, type Store } from '@tilemark/core/server';
import { shapeText } from '@tilemark/kernels';
import { isValidElement } from 'react';
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
