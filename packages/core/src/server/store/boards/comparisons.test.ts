import { type Problem, parseProblem } from '@tilemark/kernels';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../../services.test-helper';
import { attach, kernelRun, measured, recordAll, square } from '../fixtures.test-helper';
import type { Store } from '../store';
import { openStore } from '../store';

let store: Store;
const keys: string[] = [];
beforeAll(async () => {
  store = openStore(await testDatabase());
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
afterAll(() => store.close());

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
  const pairs = await store.headToHead({ of: 'devices', a, b });
  expect(pairs).toMatchObject([
    {
      problem: square(64),
      profile: 'default',
      device: null,
      a: { medianNs: 100, address: 'matmul/tiled', unranked: null },
      b: { medianNs: 300, address: 'matmul/naive' },
    },
  ]);
  expect(await store.headToHead({ of: 'devices', a, b: 'none' })).toEqual([]);
});

test('variants are held against each other on every device that measured both', async () => {
  const pairs = await store.headToHead({ of: 'variants', a: 'matmul/naive', b: 'matmul/tiled' });
  expect(pairs.map(({ a, b, device }) => [device?.name, a.medianNs, b.medianNs])).toEqual([
    ['One', 400, 100],
    ['Two', 300, 600],
  ]);
  expect(await store.measuredVariants()).toEqual(['matmul/naive', 'matmul/tiled']);
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

test('a ceiling, which has no headline, has its fastest run among the bests of kernels', async () => {
  const { deviceKey, workerId } = await attach(store, 'Copies');
  const problem = parseProblem({ op: 'transpose', shape: '64', dtype: 'f32' });
  const copy = () => kernelRun(deviceKey, 'transpose/copy', problem);
  const runs = [300, 200, 400].map((ns) => [copy(), measured(ns)] as const);
  await recordAll(store, deviceKey, workerId, [
    ...runs,
    [copy(), measured(100, { unranked: 'noisy' })],
    [kernelRun(deviceKey, 'transpose/naive', problem), measured(900)],
  ]);
  const bests = (await store.kernelBests()).filter(({ device }) => device === 'Copies');
  expect(bests).toMatchObject([
    { kernel: 'transpose/naive', medianNs: 900, unranked: null },
    { kernel: 'transpose/copy', medianNs: 200, unranked: 'a ceiling', isImported: false, problem },
  ]);
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
