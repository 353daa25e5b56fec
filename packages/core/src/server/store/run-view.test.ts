import { expect, test } from 'vitest';
import { runShown } from '../../api/run';
import {
  attach,
  failed,
  kernelRun,
  measured,
  planned,
  recorded,
  sweepOf,
} from './fixtures.test-helper';
import { testStore } from './store.test-helper';

const { store } = await testStore();

test('views say of each run what its whole result says, in the order of the sweep', async () => {
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
  const views = await store.sweeps.runs(id, 10);
  expect(views).toEqual(items.map(runShown));
  expect(views.map(({ kind, reason }) => [kind, reason])).toEqual([
    ['measured', null],
    ['measured', 'not ranked: noisy'],
    ['failed', 'device: the device was lost'],
    ['skipped', 'too big'],
    ['pending', null],
  ]);
  expect(await store.sweeps.runs(id, 2)).toEqual(views.slice(0, 2));
  expect(await store.sweeps.runs('unknown', 2)).toEqual([]);
});
