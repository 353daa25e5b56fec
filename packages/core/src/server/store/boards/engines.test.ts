import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../../services.test-helper';
import {
  capabilities,
  identity,
  kernelRun,
  measured,
  recordAll,
  square,
} from '../fixtures.test-helper';
import { openStore, type Store } from '../store';

let store: Store;
beforeAll(async () => {
  store = openStore(await testDatabase());
});
afterAll(() => store.close());

/** Records the naive product of 64 on a card under a runtime; its device's key. */
async function under(runtime: string, card: string, ns: number): Promise<string> {
  const { deviceKey, workerId } = await store.workers.attach({
    ...{ name: runtime, host: 'lab', version: '0.1.0', capabilities },
    identity: { ...identity(card), runtime },
  });
  const run = kernelRun(deviceKey, 'matmul/naive', square(64));
  await recordAll(store, deviceKey, workerId, [[run, measured(ns)]]);
  return deviceKey;
}

test('one card is ranked under each runtime by itself, and its times stand side by side', async () => {
  await under('deno', 'Card 1', 3e6);
  const key = await under('dawn', 'Card 1', 1e6);
  await under('dawn', 'Card 2', 2e6);
  const { rows } = await store.leaderboard({ op: 'matmul', dtype: 'f32', profile: 'default' });
  expect(rows.map(({ device, rank }) => [device.name, device.runtime, rank])).toEqual([
    ['Card 1', 'dawn', 1],
    ['Card 2', 'dawn', 2],
    ['Card 1', 'deno', 1],
  ]);
  const { hardware = '', engine } = (await store.devices.get(key)) ?? {};
  expect([hardware, engine]).toEqual(['acme-card_1', 'tint']);
  const ofCard = await store.engines({ hardware });
  expect(ofCard).toMatchObject([
    {
      hardware,
      kernel: 'matmul/naive',
      times: [
        { device: { runtime: 'dawn' }, medianNs: 1e6, ratio: null },
        { device: { runtime: 'deno' }, medianNs: 3e6, ratio: 3 },
      ],
    },
  ]);
  const problem = { op: 'matmul', dtype: 'f32', shape: '64', profile: 'default' } as const;
  expect(await store.engines({ kernel: 'matmul/naive', ...problem })).toEqual(ofCard);
  expect(await store.engines({ kernel: 'matmul/tiled', ...problem })).toEqual([]);
  expect(await store.engines({ hardware: 'acme-card_2' })).toEqual([]);
});
