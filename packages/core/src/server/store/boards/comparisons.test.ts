import type { Problem } from '@tilemark/kernels';
import { beforeAll, expect, test } from 'vitest';
import { attach, kernelRun, measured, recordAll, square } from '../fixtures.test-helper';
import { testStore } from '../store.test-helper';

const keys: string[] = [];
const { store } = await testStore();
beforeAll(async () => {
  for (const [device, naiveNs, tiledNs] of [
    ['One', 400, 100],
    ['Two', 300, 600],
  ] as const) {
    const { deviceKey, workerId } = await attach(store, device);
    keys.push(deviceKey);
    await recordAll(store, deviceKey, workerId, [
      [kernelRun(deviceKey, 'matmul/naive'), measured(naiveNs)],
      [kernelRun(deviceKey, 'matmul/tiled'), measured(tiledNs)],
      ...(device === 'One'
        ? [[kernelRun(deviceKey, 'matmul/tiled', square(128)), measured(900)] as const]
        : []),
    ]);
  }
});

test('a kernel is shown on the problem most devices have, with its part of the best', async () => {
  const { chosen, problems, rows } = await store.kernelResults({ kernel: 'matmul/tiled' });
  expect(chosen).toEqual({ problem: square(64), profile: 'default' });
  expect(problems.map(({ devices }) => devices)).toEqual([2, 1]);
  expect(rows).toMatchObject([
    { device: { name: 'One' }, medianNs: 100, partOfBest: 1, unranked: null },
    { device: { name: 'Two' }, medianNs: 600, partOfBest: 0.5 },
  ]);
  expect(rows[0]!.rate.unit).toBe('GFLOP/s');
});

test('another problem is shown where it is asked for, and none where it was not measured', async () => {
  const asked = (shape: string) => store.kernelResults({ kernel: 'matmul/tiled', shape });
  expect((await asked('128')).rows).toMatchObject([{ device: { name: 'One' }, medianNs: 900 }]);
  expect(await asked('4096')).toMatchObject({ chosen: null, rows: [] });
  await expect(asked('x')).rejects.toMatchObject({ field: 'shape' });
  const none = await store.kernelResults({ kernel: 'matmul/cpu-naive' });
  expect(none).toEqual({ problems: [], chosen: null, rows: [] });
});

test('a figure of devices is offered the problems that they have measured', async () => {
  const on = async (...devices: string[]) =>
    (await store.problemsOn({ devices, profile: 'default' })).map(({ devices, problem }) => [
      problem,
      devices,
    ]);
  const [a, b] = keys as [string, string];
  expect(await on(a, b)).toEqual([
    [square(64), 2],
    [square(128), 1],
  ]);
  expect(await on(b)).toEqual([[square(64), 1]]);
  expect(await on()).toEqual([]);
});

test('a kernel opens on what is ranked, of a GPU, in f32, though more devices have another', async () => {
  const of = (device: string, kind: 'gpu' | 'software') => attach(store, device, 'w1', kind);
  const half = (n: number) => ({ ...square(n), dtype: 'f16' }) as const;
  const kernel = 'matmul/warp-tile';
  const record = async (
    { deviceKey, workerId }: Awaited<ReturnType<typeof attach>>,
    ...entries: readonly (readonly [Problem, Parameters<typeof measured>[1]?])[]
  ) => {
    const runs = entries.map(
      ([problem, over]) => [kernelRun(deviceKey, kernel, problem), measured(1e6, over)] as const,
    );
    await recordAll(store, deviceKey, workerId, runs);
  };
  const chosen = async () => (await store.kernelResults({ kernel })).chosen?.problem;
  const [soft, other, gpu] = [
    await of('Soft', 'software'),
    await of('Soft 2', 'software'),
    await of('Hard', 'gpu'),
  ];
  const unranked = { unranked: 'noisy' };
  await record(soft, [half(512), unranked]);
  await record(other, [half(512), unranked]);
  expect(await chosen()).toEqual(half(512));
  await record(soft, [square(64)], [square(256), unranked]);
  expect(await chosen(), 'ranked').toEqual(square(64));
  await record(gpu, [square(1024), unranked]);
  expect(await chosen(), 'ranked, though no GPU has it').toEqual(square(64));
  await record(gpu, [half(128)]);
  expect(await chosen(), 'of a GPU').toEqual(half(128));
  await record(gpu, [square(96)], [square(128)], [square(256), unranked]);
  expect(await chosen(), 'f32, the largest ranked square').toEqual(square(128));
});

test('an unranked result has no part of a ranked best', async () => {
  const { deviceKey, workerId } = await attach(store, 'Noisy');
  await recordAll(store, deviceKey, workerId, [
    [kernelRun(deviceKey, 'matmul/naive', square(256)), measured(200)],
    [kernelRun(deviceKey, 'matmul/tiled', square(256)), measured(100, { unranked: 'noisy' })],
    [kernelRun(deviceKey, 'matmul/tiled', square(512)), measured(100, { unranked: 'noisy' })],
  ]);
  const of = (shape: string) => store.kernelResults({ kernel: 'matmul/tiled', shape });
  expect((await of('256')).rows).toMatchObject([{ unranked: 'noisy', partOfBest: null }]);
  expect((await of('512')).rows).toMatchObject([{ unranked: 'noisy', partOfBest: 1 }]);
});

test('the part of the best is that of the rates as shown, however wide their intervals', async () => {
  const { deviceKey, workerId } = await attach(store, 'Wide');
  const problem = square(352);
  await recordAll(store, deviceKey, workerId, [
    [kernelRun(deviceKey, 'matmul/naive', problem), measured(1_000, { halfWidth: 0.5 })],
    [kernelRun(deviceKey, 'matmul/tiled', problem), measured(100)],
  ]);
  const { rows } = await store.kernelResults({ kernel: 'matmul/naive', shape: '352' });
  expect(rows[0]!.partOfBest).toBeCloseTo(100 / rows[0]!.medianNs, 9);
});
