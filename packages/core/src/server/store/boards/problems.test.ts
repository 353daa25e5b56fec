import { afterEach, beforeEach, expect, test } from 'vitest';
import { testDatabase } from '../../../../services.test-helper';
import { attach, kernelRun, measured, recordAll, square } from '../fixtures.test-helper';
import { openStore, type Store } from '../store';

let store: Store;
beforeEach(async () => {
  store = openStore(await testDatabase());
});
afterEach(() => store.close());

const board = { op: 'matmul', dtype: 'f32', profile: 'default' } as const;

test('the board opens on the largest square that most GPUs have; devices count their results', async () => {
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
  const { items } = await store.devices.list();
  expect(items.map(({ name, results }) => [name, results]).toSorted()).toEqual([
    ['GPU 1', 3],
    ['GPU 2', 3],
    ['Soft 1', 2],
    ['Soft 2', 1],
  ]);
});
