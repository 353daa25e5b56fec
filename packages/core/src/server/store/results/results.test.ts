import { expect, test } from 'vitest';
import { execute } from '../../../../services.test-helper';
import { leaderboardQuerySchema } from '../../../api/api';
import { attach, kernelRun, measured, recorded, square, sweepOf } from '../fixtures.test-helper';
import { testStore } from '../store.test-helper';

const { store, url } = await testStore();

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
  expect(await store.devices.history(deviceKey)).toEqual([]);
  expect((await store.devices.summaries([deviceKey])).get(deviceKey)?.bests).toEqual([]);
  await store.devices.runSeconds([deviceKey]);
  await store.devices.toPlan();
  await store.sweeps.get(id);
  await store.sweeps.list();
  await store.leaderboard(leaderboardQuerySchema.parse({}));
  for await (const run of store.runs.pending()) expect(run).toBeTruthy();
});
