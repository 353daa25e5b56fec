import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../test-services';
import { headlineOf } from '../../headline';
import type { Store } from '../store';
import { openStore } from './open-store';
import { attach, failed, kernelRun, measured, planned, recorded, sweepOf } from './test-fixtures';

let store: Store;
beforeAll(async () => {
  store = openStore(await testDatabase());
});
afterAll(() => store.close());

test('headlines say of each run what its whole result says, in the order of the sweep', async () => {
  const { deviceKey, workerId } = await attach(store);
  const { id, runIds } = await sweepOf(store, [
    kernelRun(deviceKey, 'matmul/naive'),
    kernelRun(deviceKey, 'matmul/tiled'),
    planned(deviceKey),
    kernelRun(deviceKey, 'matmul/vector-loads'),
    kernelRun(deviceKey, 'matmul/register-tile'),
  ]);
  const outcomes = [
    measured(100, { roof: { ns: 50, bound: 'bandwidth' } }),
    measured(200, { unranked: 'noisy' }),
    failed,
    { kind: 'skipped', why: 'too big' } as const,
  ];
  for (const [index, outcome] of outcomes.entries()) {
    await store.runs.record(recorded(runIds[index]!, workerId, outcome));
  }
  const { items } = await store.sweeps.results(id);
  const headlines = await store.sweeps.headlines(id, 10);
  expect(headlines).toEqual(items.map(headlineOf));
  expect(headlines.map(({ kind, reason }) => [kind, reason])).toEqual([
    ['measured', null],
    ['measured', 'not ranked: noisy'],
    ['failed', 'device: the device was lost'],
    ['skipped', 'too big'],
    ['pending', null],
  ]);
  expect(await store.sweeps.headlines(id, 2)).toEqual(headlines.slice(0, 2));
  expect(await store.sweeps.headlines('unknown', 2)).toEqual([]);
});
