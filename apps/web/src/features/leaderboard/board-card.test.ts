import { randomUUID } from 'node:crypto';
import { kernelTemplate } from '@tilemark/core';
import { openStore, type Store } from '@tilemark/core/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../../../packages/core/services.test-helper';
import {
  attach,
  kernelRun,
  measured,
  recordAll,
  square,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { boardAbout, boardCard } from './board-card';
import { boardQuerySchema } from './query';

let store: Store;
beforeAll(async () => {
  store = openStore(await testDatabase());
});
afterAll(() => store.close());

const cardOf = (query: Record<string, string>) =>
  boardCard(store, boardQuerySchema.parse({ shape: '96', ...query }));

test('the picture of every view is titled as the board that it draws', async () => {
  const { deviceKey, workerId } = await attach(store, 'Laptop', 'w1', 'gpu');
  await recordAll(store, deviceKey, workerId, [
    [kernelRun(deviceKey, 'matmul/naive', square(96)), measured(1e6)],
  ]);
  for (const view of ['devices', 'heatmap', 'portability']) {
    expect(await cardOf({ view, groups: 'gpu' }), view).toMatchObject({
      title: 'Matrix multiply 96 f32, profile default',
      about: 'The fastest kernel of each device',
      groups: [{ bars: [{ label: 'Laptop: matmul/naive' }] }],
    });
  }
});

test('contributed kernels are drawn and marked where the board shows them', async () => {
  const { deviceKey, workerId } = await attach(store, 'Phone', 'w2', 'gpu');
  const ada = { tokenId: randomUUID(), name: 'ada', role: 'member' } as const;
  const { id } = await store.contributed.add({ source: kernelTemplate('mine') }, ada);
  await recordAll(store, deviceKey, workerId, [
    [kernelRun(deviceKey, 'matmul/naive', square(128)), measured(1e6)],
    [kernelRun(deviceKey, id, square(128)), measured(2e6)],
  ]);
  await store.contributed.publish(id);
  const barsOf = async (query: Record<string, string>) => {
    const { groups } = await cardOf({ shape: '128', ...query });
    return groups.flatMap(({ bars }) => bars.map(({ label, note }) => [label, note]));
  };
  const ours = ['Phone: matmul/naive', undefined];
  const theirs = [`Phone: ${id}`, 'contributed, not ranked'];
  expect(await barsOf({ groups: 'gpu,contributed' })).toEqual([ours, theirs]);
  expect(await barsOf({ groups: 'gpu' })).toEqual([ours]);
  expect(await barsOf({ groups: 'gpu', view: 'heatmap' })).toEqual([ours]);
});

test('a picture says what its bars are', () => {
  const kernel = { isSubject: true };
  const library = { isSubject: false };
  expect([[library], [library, library], [kernel, library], [kernel], []].map(boardAbout)).toEqual([
    'A library, measured elsewhere: this board has no WGSL kernel yet',
    'Libraries, measured elsewhere: this board has no WGSL kernel yet; higher is better',
    'The fastest kernel of each device, and libraries; higher is better',
    'The fastest kernel of each device',
    'Figures of published reports only',
  ]);
});
