import { expect, test } from 'vitest';
import { execute } from '../../../../services.test-helper';
import { METHODOLOGY_VERSION } from '../../../measure/outcome';
import { spreadPrior } from '../../../rank/headline';
import { spreadOf } from '../boards/move';
import {
  attach,
  environment,
  measured,
  planned,
  recorded,
  square,
  sweepOf,
} from '../fixtures.test-helper';
import { testStore } from '../store.test-helper';

const { db, store, url: databaseUrl } = await testStore();

async function record(device: string, drivers: readonly (readonly [string, number])[]) {
  const { deviceKey, workerId } = await attach(store, device);
  const { runIds } = await sweepOf(
    store,
    drivers.map(() => planned(deviceKey)),
  );
  for (const [index, [driver, ns]] of drivers.entries()) {
    const run = recorded(runIds[index]!, workerId, measured(ns), device);
    await store.runs.record({ ...run, environment: { ...environment(device), driver } });
  }
  return deviceKey;
}

test('the best variants are shown under each driver, oldest first', async () => {
  const key = await record('Old', [
    ['1.0', 300],
    ['1.0', 200],
    ['2.0', 100],
  ]);
  expect(await store.devices.history(key)).toMatchObject([
    {
      problem: square(64),
      address: 'matmul/tiled[TILE=16]',
      versions: [
        { driver: '1.0', webgpu: null, medianNs: 200, count: 2 },
        { driver: '2.0', medianNs: 100, count: 1 },
      ],
    },
  ]);
});

test('what an admin calls a device stands beside its name, until it is taken away', async () => {
  const key = await record('Labelled', [['1.0', 300]]);
  const labels = async () => {
    const worker = (await store.workers.list()).find(({ device }) => device.key === key);
    return [(await store.devices.get(key))?.label, worker?.device.label];
  };
  await store.devices.label(key, 'laptop');
  expect(await labels()).toEqual(['laptop', 'laptop']);
  await store.devices.label(key, null);
  expect(await labels()).toEqual([undefined, undefined]);
});

test('one driver is not a history', async () => {
  const key = await record('New', [['1.0', 300]]);
  expect(await store.devices.history(key)).toEqual([]);
  expect(await store.devices.history('none')).toEqual([]);
});

test('a screened figure is the best of an op only where nothing is ranked, and says why', async () => {
  const { deviceKey, workerId } = await attach(store, 'Screened');
  const unranked = 'policy screen is not ranked';
  const timed = async (edge: number, ns: number, isScreened: boolean) => {
    const policy = isScreened ? 'screen' : 'default';
    const { runIds } = await sweepOf(store, [
      planned(deviceKey, { problem: square(edge), policy }),
    ]);
    const outcome = measured(ns, isScreened ? { policy, unranked, samples: 7 } : {});
    await store.runs.record(recorded(runIds[0]!, workerId, outcome, 'Screened'));
  };
  const bests = async () => (await store.devices.summaries([deviceKey])).get(deviceKey)?.bests;
  await timed(2048, 3e6, true);
  expect(await bests()).toMatchObject([{ problem: square(2048), unranked: expect.any(String) }]);
  await timed(64, 100_000, false);
  expect(await bests()).toMatchObject([{ problem: square(64), unranked: null }]);
});

test('what a newer release measured is left out of lists, which go on', async () => {
  const key = await record('Mixed', [
    ['1.0', 300],
    ['2.0', 300],
  ]);
  const { items } = await store.sweeps.list();
  const sweep = items[0]!.id;
  expect((await store.devices.summaries([key])).get(key)?.bests).toHaveLength(1);
  await execute(databaseUrl, `UPDATE "Run" SET "dtype" = 'f8' WHERE "deviceKey" = '${key}'`);
  await execute(
    databaseUrl,
    `UPDATE "VariantBest" SET "dtype" = 'f8' WHERE "deviceKey" = '${key}'`,
  );
  expect((await store.devices.summaries([key])).get(key)?.bests).toEqual([]);
  expect(await store.devices.history(key)).toEqual([]);
  expect(await store.sweeps.runs(sweep, 10)).toEqual([]);
});

test('the best of a device has the interval of the board, and of its own run', async () => {
  const key = await record('Twice known', [['1.0', 1e6]]);
  const [best] = await store.devices.best(key);
  const { rows } = await store.leaderboard({ op: 'matmul', dtype: 'f32', profile: 'default' });
  const { highNs, lowNs, medianNs } = rows.find(({ device }) => device.key === key)!;
  expect(best?.headline).toEqual({ highNs, lowNs, medianNs });
  const own = best?.outcome?.kind === 'measured' ? best.outcome.measurement.cold : null;
  expect(highNs).toBeGreaterThan(own?.highNs ?? Infinity);
});

test('the spread of a device is that of its repeated variants, once they are enough', async () => {
  const spreadAfter = async (name: string, runs: number) => {
    const key = await record(
      name,
      Array.from({ length: runs }, (_, index) => ['1.0', index % 2 ? 1.02e6 : 1e6] as const),
    );
    return spreadOf(db, key, METHODOLOGY_VERSION);
  };
  expect(await spreadAfter('Seldom repeated', 4)).toEqual(spreadPrior('gpu'));
  expect(await spreadAfter('Often repeated', 10)).toEqual({
    relative: expect.closeTo(0.0107, 3),
    df: expect.closeTo(4.6),
    isShown: true,
  });
});
