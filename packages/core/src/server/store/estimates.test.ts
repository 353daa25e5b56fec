import { expect, test } from 'vitest';
import { attach, measured, planned, recorded, square, sweepOf } from './fixtures.test-helper';
import { testStore } from './store.test-helper';

const { store } = await testStore();

test('the median run of a device is that of how long runs had its machine', async () => {
  const { deviceKey, workerId } = await attach(store, 'Steady');
  const other = await attach(store, 'Idle');
  const seconds = [2, 4, 9, null, -1];
  const { runIds } = await sweepOf(
    store,
    seconds.map(() => planned(deviceKey, { problem: square(64) })),
  );
  for (const [index, taken] of seconds.entries()) {
    const run = recorded(runIds[index]!, workerId, measured(1e6), 'Steady');
    const beganAt = taken === null ? undefined : Date.parse(run.endedAt) - 1e3 * taken;
    await store.runs.record({
      ...run,
      ...(beganAt && { beganAt: new Date(beganAt).toISOString() }),
    });
  }
  expect(await store.devices.runSeconds([deviceKey, other.deviceKey])).toEqual({ [deviceKey]: 4 });
  expect(await store.devices.runSeconds([])).toEqual({});
});
