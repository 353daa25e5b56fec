import { afterAll, beforeAll, expect, test } from 'vitest';
import { execute, testDatabase } from '../../../services.test-helper';
import { leaderboardQuerySchema } from '../../view/api';
import { attach, kernelRun, measured, recorded, square, sweepOf } from './fixtures.test-helper';
import type { Store } from './store';
import { openStore } from './store';

let url: string;
let store: Store;
beforeAll(async () => {
  url = await testDatabase();
  store = openStore(url);
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

test('a result of a dtype of another release is left out, and nothing breaks over it', async () => {
  const { deviceKey, workerId } = await attach(store, 'Newer');
  const { id, runIds } = await sweepOf(store, [
    kernelRun(deviceKey, 'matmul/naive', square(64)),
    kernelRun(deviceKey, 'matmul/naive', square(128)),
  ]);
  await store.runs.record(recorded(runIds[0] ?? '', workerId, measured(1e6), 'Newer'));
  const [{ resultId = null } = {}] = (await store.sweeps.results(id)).items;
  for (const table of ['Run', 'VariantBest']) {
    await execute(url, `UPDATE "${table}" SET "dtype" = 'f8' WHERE "deviceKey" = '${deviceKey}'`);
  }
  expect(await store.results.get(resultId ?? '')).toBeNull();
  expect((await store.sweeps.results(id)).items).toEqual([]);
  expect(await store.devices.best(deviceKey)).toEqual([]);
  expect((await store.devices.history(deviceKey)).variants).toEqual([]);
  expect((await store.devices.summaries([deviceKey])).get(deviceKey)?.bests).toEqual([]);
  await store.devices.paces([deviceKey]);
  await store.devices.toPlan();
  await store.sweeps.get(id);
  await store.sweeps.list();
  await store.sweeps.fastest([id]);
  await store.overview();
  await store.leaderboard(leaderboardQuerySchema.parse({}));
  for await (const run of store.runs.pending()) expect(run).toBeTruthy();
});
