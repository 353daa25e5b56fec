import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../services.test-helper';
import { attach, kernelRun, measured, recorded, square, sweepOf } from './fixtures.test-helper';
import type { Store } from './store';
import { openStore } from './store';

let store: Store;
beforeAll(async () => {
  store = openStore(await testDatabase());
});
afterAll(() => store.close());

async function outliers(deviceName: string, medians: readonly number[], n = 64) {
  const { deviceKey, workerId } = await attach(store, deviceName);
  const run = kernelRun(deviceKey, 'matmul/naive', square(n));
  const { id, runIds } = await sweepOf(
    store,
    medians.map(() => run),
  );
  for (const [index, medianNs] of medians.entries()) {
    const outcome = measured(medianNs);
    await store.runs.record(recorded(runIds[index] ?? '', workerId, outcome, deviceName));
  }
  const { items } = await store.sweeps.results(id);
  return Promise.all(
    items.map(async ({ resultId }) => (await store.results.get(resultId ?? ''))?.outlier ?? null),
  );
}

test('a result far from the others of its device, driver and problem is flagged, and they are not', async () => {
  await outliers('Other device', [9e6, 9e6, 9e6, 9e6, 9e6, 9e6]);
  await outliers('One', [7e6, 7e6, 7e6, 7e6, 7e6, 7e6], 512);
  const found = await outliers('One', [1e6, 1.001e6, 0.999e6, 1.002e6, 0.998e6, 1.2e6]);
  expect(found.slice(0, 5)).toEqual([null, null, null, null, null]);
  expect(found[5]).toMatchObject({ others: 5, medianNs: 1e6 });
});

test('few results flag none', async () => {
  expect(await outliers('Two', [1e6, 2e6, 3e6])).toEqual([null, null, null]);
});
