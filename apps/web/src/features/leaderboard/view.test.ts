import { openStore, type Store } from '@tilemark/core/server';
import { shapeText } from '@tilemark/kernels';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../../../packages/core/services.test-helper';
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
