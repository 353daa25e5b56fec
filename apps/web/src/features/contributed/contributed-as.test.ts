import { randomUUID } from 'node:crypto';
import { kernelTemplate } from '@tilemark/core';
import { openStore, type Store } from '@tilemark/core/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../../../packages/core/services.test-helper';
import { contributedAs } from './contributed-as';

let store: Store;
beforeAll(async () => {
  store = openStore(await testDatabase());
});
afterAll(() => store.close());

test('a contributed kernel is described by its own idea and its author', async () => {
  const ada = { tokenId: randomUUID(), name: 'ada', role: 'member' } as const;
  const { id } = await store.contributed.add({ source: kernelTemplate('mine') }, ada);
  expect(await contributedAs(store, id)).toBe('One thread per element of C, a WGSL kernel by ada');
  expect(await contributedAs(store, 'ada/mine@00000000')).toBeNull();
});
