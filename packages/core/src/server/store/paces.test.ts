import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../services.test-helper';
import { attach, measured, planned, recorded, square, sweepOf } from './fixtures.test-helper';
import type { Store } from './store';
import { openStore } from './store';

let store: Store;
beforeAll(async () => {
  store = openStore(await testDatabase());
});
afterAll(() => store.close());

test('the pace of a device is the median time from one end to the next in a sweep', async () => {
  const { deviceKey, workerId } = await attach(store, 'Pace');
  const other = await attach(store, 'Idle');
  const runs = [64, 64, 64, 64, 128].map((n) => planned(deviceKey, { problem: square(n) }));
  const { runIds } = await sweepOf(store, runs);
  const start = Date.parse('2026-11-21T12:00:00Z');
  // The first has no end before it; an hour of waiting is not a run.
  for (const [index, second] of [0, 2, 6, 3_606, 3_615].entries()) {
    const run = recorded(runIds[index]!, workerId, measured(1e6), 'Pace');
    await store.runs.record({ ...run, endedAt: new Date(start + second * 1e3).toISOString() });
  }
  const paces = await store.devices.paces([deviceKey, other.deviceKey]);
  const pace = { deviceKey, op: 'matmul', policy: 'default' };
  expect(paces.toSorted((a, b) => a.seconds - b.seconds)).toEqual([
    { ...pace, shape: '64', seconds: 3 },
    { ...pace, shape: '128', seconds: 9 },
  ]);
  expect(await store.devices.paces([])).toEqual([]);
});
