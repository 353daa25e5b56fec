import { afterEach, beforeEach, expect, test } from 'vitest';
import { testDatabase } from '../../../../services.test-helper';
import { deviceKey } from '../../../measure/device';
import { file, importer, result } from '../../imports/bench-file.test-helper';
import { importResults } from '../../imports/import';
import {
  attach,
  environment,
  identity,
  kernelRun,
  measured,
  recordAll,
  square,
} from '../fixtures.test-helper';
import { openStore, type Store } from '../store';

let store: Store;
beforeEach(async () => {
  store = openStore(await testDatabase());
});
afterEach(() => store.close());

const board = { op: 'matmul', dtype: 'f32', profile: 'default' } as const;

test('the board opens on the largest square that most GPUs have; the overview has their bests', async () => {
  const record = async (device: string, kind: 'gpu' | 'software', sizes: readonly number[]) => {
    const { deviceKey, workerId } = await attach(store, device, 'w', kind);
    await recordAll(
      store,
      deviceKey,
      workerId,
      sizes.map((n) => [kernelRun(deviceKey, 'matmul/tiled', square(n)), measured(n * 1_000)]),
    );
    return deviceKey;
  };
  expect((await store.leaderboard(board)).problem).toBeNull();
  await record('Soft 1', 'software', [32, 64]);
  await record('Soft 2', 'software', [32]);
  // Most software adapters have it, and there is no GPU.
  expect((await store.leaderboard(board)).problem?.shape).toMatchObject({ m: 32 });
  const first = await record('GPU 1', 'gpu', [128, 256]);
  await record('GPU 2', 'gpu', [128, 256, 512]);
  const { problem, problems } = await store.leaderboard(board);
  expect(problem?.shape).toMatchObject({ m: 256 });
  expect(problems.map(({ devices, gpus }) => [devices, gpus])).toContainEqual([2, 0]);

  const { workerId } = await attach(store, 'GPU 1');
  const naive = kernelRun(first, 'matmul/naive', square(256));
  const worst = { row: 0, col: 0, got: 'NaN', want: 1, bound: 0 };
  await recordAll(store, first, workerId, [
    [naive, measured(4 * 256_000)],
    // No result to count: it was not proved correct.
    [naive, { kind: 'incorrect', when: 'before', worst }],
  ]);
  expect(await store.devicesWithWinners('matmul')).toMatchObject([
    { device: { name: 'GPU 2' }, problems: 3 },
    { device: { name: 'GPU 1' }, problems: 2 },
    { device: { name: 'Soft 1' }, problems: 2 },
    { device: { name: 'Soft 2' }, problems: 1 },
  ]);
  const won = await store.winners({ key: first, op: 'matmul' });
  expect(won.map(({ address, medianNs, problem }) => [problem.shape, address, medianNs])).toEqual([
    [square(128).shape, 'matmul/tiled', 128_000],
    [square(256).shape, 'matmul/tiled', 256_000],
  ]);
  const overview = await store.overview();
  expect(overview).toMatchObject({ devices: 4, gpus: 2, results: 9, imported: 0 });
  // The devices count the same.
  const { items } = await store.devices.list();
  expect(items.map(({ name, results }) => [name, results]).toSorted()).toEqual([
    ['GPU 1', 3],
    ['GPU 2', 3],
    ['Soft 1', 2],
    ['Soft 2', 1],
  ]);
  // The larger problem has the higher rate here; GPUs come first.
  expect(overview.bests.map(({ device, problem: of }) => [device.name, of.shape])).toMatchObject([
    ['GPU 2', { m: 512 }],
    ['GPU 1', { m: 256 }],
    ['Soft 1', { m: 64 }],
    ['Soft 2', { m: 32 }],
  ]);
  expect(overview.bests[0]?.speedupOverNaive).toBeNull();
  expect(overview.bests[1]?.device.key).toBe(first);
  expect(overview.bests[1]).toMatchObject({ address: 'matmul/tiled', speedupOverNaive: 4 });
});

test('a best names a shorter median that is not proven, and the file that brought it', async () => {
  const { deviceKey: noisy, workerId } = await attach(store, 'Noisy');
  await recordAll(store, noisy, workerId, [
    [kernelRun(noisy, 'matmul/naive', square(96)), measured(4e5)],
    [kernelRun(noisy, 'matmul/tiled', square(96)), measured(3e5, { halfWidth: 1.5 })],
    // Another problem: shorter, and nothing to the best.
    [kernelRun(noisy, 'matmul/tiled', square(64)), measured(2e5, { halfWidth: 1.5 })],
  ]);
  const brought = { key: deviceKey(identity('Brought')), name: 'Brought', class: 'gpu' } as const;
  await importResults(
    { store },
    { ...file([result({ device: brought })]), environment: environment('Brought') },
    importer,
  );
  const { bests, imported, results } = await store.overview();
  expect({ imported, results }).toEqual({ imported: 1, results: 4 });
  const of = (name: string) => bests.find(({ device }) => device.name === name);
  expect(of('Noisy')).toMatchObject({
    address: 'matmul/naive',
    imported: null,
    shorterMedian: { address: 'matmul/tiled', medianNs: 3e5 },
  });
  expect(of('Brought')).toMatchObject({ imported: { by: 'reviewer' }, shorterMedian: null });
});
