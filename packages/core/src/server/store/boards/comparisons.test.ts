import type { Problem } from '@tilemark/kernels';
import { beforeAll, expect, test } from 'vitest';
import { execute } from '../../../../services.test-helper';
import { contrast, pairContrast } from '../../../rank/head-to-head';
import { attach, kernelRun, measured, recordAll, square } from '../fixtures.test-helper';
import { openStore } from '../store';
import { testStore } from '../store.test-helper';

const keys: string[] = [];
const { store, url } = await testStore();
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

test('devices are held against each other by their best, problem by problem', async () => {
  const [a, b] = keys as [string, string];
  const pairs = await store.headToHead({ kind: 'devices', a, b });
  expect(pairs).toMatchObject([
    {
      problem: square(64),
      profile: 'default',
      device: null,
      a: { medianNs: 100, address: 'matmul/tiled', unranked: null },
      b: { medianNs: 300, address: 'matmul/naive' },
    },
  ]);
  expect(await store.headToHead({ kind: 'devices', a, b: 'none' })).toEqual([]);
});

test('variants are held against each other on every device that measured both', async () => {
  const pairs = await store.headToHead({ kind: 'variants', a: 'matmul/naive', b: 'matmul/tiled' });
  expect(pairs.map(({ a, b, device }) => [device?.name, a.medianNs, b.medianNs])).toEqual([
    ['One', 400, 100],
    ['Two', 300, 600],
  ]);
});

test('a side of too few samples for an interval decides what lies far apart', async () => {
  const { deviceKey, workerId } = await attach(store, 'Quick');
  const unranked = 'the smoke policy is too quick to rank';
  const quick = { policy: 'smoke', unranked, samples: 5 } as const;
  const kernels = ['matmul/tiled-wpt', 'matmul/subgroup'] as const;
  const [many, few] = kernels.map((kernel) => kernelRun(deviceKey, kernel)) as [Run, Run];
  await recordAll(store, deviceKey, workerId, [
    [many, measured(400)],
    [{ ...few, policy: 'smoke' }, measured(100, quick)],
  ]);
  const [a, b] = kernels;
  const pairs = await store.headToHead({ kind: 'variants', a, b });
  expect(pairs).toMatchObject([{ a: { isRange: false }, b: { isRange: true } }]);
  expect(pairs.map((pair) => pairContrast(pair).verdict)).toEqual(['FAST']);
  expect(pairs.map((pair) => contrast(pair.b, pair.a).verdict)).toEqual(['FAST']);
});

type Run = ReturnType<typeof kernelRun>;

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

test('times of another methodology are held against none, on devices and of variants', async () => {
  const { deviceKey, workerId } = await attach(store, 'Earlier');
  const problem = square(320);
  await recordAll(store, deviceKey, workerId, [
    [kernelRun(deviceKey, 'matmul/naive', problem), measured(400)],
    [kernelRun(deviceKey, 'matmul/tiled', problem), measured(100)],
  ]);
  const on = async (device: string) => {
    const fresh = openStore(url);
    const pairs = await fresh.headToHead({
      kind: 'variants',
      a: 'matmul/naive',
      b: 'matmul/tiled',
    });
    await fresh.close();
    return pairs.filter((pair) => pair.device?.key === device).length;
  };
  expect(await on(deviceKey)).toBe(1);
  await execute(
    url,
    `UPDATE "VariantBest" SET "methodology" = 2
      WHERE "deviceKey" = '${deviceKey}' AND "kernel" = 'matmul/naive'`,
  );
  expect(await on(deviceKey)).toBe(0);
});
