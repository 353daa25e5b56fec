import { hash32, opOf, type Problem } from '@tilemark/kernels';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { execute, testDatabase } from '../../../../services.test-helper';
import { METHODOLOGY_VERSION, type Outcome } from '../../../measure/outcome';
import type { PlannedRun } from '../../../plan/expansion';
import type { BestQuery } from '../../../view/api';
import { attach, measured, recordAll, square } from '../fixtures.test-helper';
import type { Store } from '../store';
import { openStore } from '../store';
import { bestOf, cube, type Tile, tileAddress, tileRun } from './tiles.test-helper';

let url: string;
let store: Store;
let key: string;
let workerId: string;
beforeAll(async () => {
  url = await testDatabase();
  store = openStore(url);
  ({ deviceKey: key, workerId } = await attach(store, 'Learner'));
});
afterAll(() => store.close());

const find = (over: Partial<BestQuery>) => bestOf(store, { device: key, ...over });

/** One tile starts sooner, the other computes faster: they cross between 512 and 1024. */
const timeNs = (tile: Tile, problem: Problem): number => {
  const flops = opOf(problem).flops(problem.shape);
  return tile === 'small' ? 4e6 + flops / 500 : 4.6e6 + flops / 2_000;
};

const screened = (tile: Tile, n: number, ns = timeNs(tile, square(n))): [PlannedRun, Outcome] => [
  { ...tileRun(key, tile, square(n)), policy: 'screen' },
  // No two series of a device are the same.
  measured(ns + (hash32(n) % 97), { policy: 'screen', samples: 7 }),
];

test('what the tuner screened here answers for shapes that nobody measured', async () => {
  expect(await find(cube(384))).toBeNull();
  const sides = [128, 256, 512, 1024, 2048, 4096];
  await recordAll(store, key, workerId, [
    ...sides.map((n) => screened('small', n)),
    ...sides.map((n) => screened('large', n)),
  ]);
  for (const [n, tile] of [
    [384, 'small'],
    [3072, 'large'],
  ] as const) {
    const found = await find(cube(n));
    expect(found).toMatchObject({
      fallback: 'device',
      isExact: false,
      address: tileAddress(tile),
      result: null,
      prediction: { basis: 'predicted', device: 'Learner', profile: 'default', shapes: 6 },
    });
    const expected = timeNs(tile, square(n));
    expect(Math.abs(Math.log((found?.prediction?.ns ?? 0) / expected))).toBeLessThan(0.2);
  }
  // What the methodology before measured tells as much.
  const known = await find(cube(384));
  await execute(url, 'UPDATE "VariantBest" SET "methodology" = 2');
  expect(await find(cube(384))).toEqual(known);
  await execute(url, `UPDATE "VariantBest" SET "methodology" = ${METHODOLOGY_VERSION}`);
  expect(await find(cube(512))).toMatchObject({
    fallback: 'device',
    isExact: true,
    address: tileAddress('small'),
    prediction: { basis: 'measured' },
  });
});

test('a new time changes the answer at once', async () => {
  await recordAll(store, key, workerId, [screened('middle', 512, 3e6)]);
  expect(await find(cube(512))).toMatchObject({ address: tileAddress('middle') });
});

test('a ranked result gives way only to a prediction that beats it by twice its error', async () => {
  const ranked = (tile: Tile, ns: number): [PlannedRun, Outcome] => [
    tileRun(key, tile, square(768)),
    measured(ns),
  ];
  const smallNs = timeNs('small', square(768));
  await recordAll(store, key, workerId, [ranked('large', 2 * smallNs)]);
  expect(await find(cube(768))).toMatchObject({
    address: tileAddress('small'),
    prediction: { basis: 'predicted' },
  });
  await recordAll(store, key, workerId, [ranked('middle', 0.95 * smallNs)]);
  expect(await find(cube(768))).toMatchObject({
    address: tileAddress('middle'),
    prediction: null,
    result: { device: { key } },
  });
});

test('a quick time with a wide interval counts at its slow end', async () => {
  const { deviceKey, workerId } = await attach(store, 'Noisy');
  const quick = (tile: Tile, n: number, ns: number, halfWidth: number): [PlannedRun, Outcome] => [
    { ...tileRun(deviceKey, tile, square(n)), policy: 'screen' },
    measured(ns + n, { policy: 'screen', samples: 7, halfWidth }),
  ];
  await recordAll(
    store,
    deviceKey,
    workerId,
    [256, 512].flatMap((n) => [
      quick('small', n, 3.5e6, 0.003),
      quick('middle', n, 4e6, 0.003),
      quick('large', n, 3.2e6, 0.5),
    ]),
  );
  const found = await find({ ...cube(512), device: deviceKey });
  expect(found).toMatchObject({ fallback: 'device', address: tileAddress('small') });
});

test('a promise from unlike shapes gives way to a ranked result that is nearer', async () => {
  const { deviceKey, workerId } = await attach(store, 'Skinny');
  const vectorNs = (n: number): [PlannedRun, Outcome] => [
    {
      ...tileRun(deviceKey, 'small', { op: 'matmul', shape: { m: 1, n, k: n }, dtype: 'f32' }),
      policy: 'screen',
    },
    measured(4e6 + n, { policy: 'screen', samples: 7 }),
  ];
  const ranked = (n: number): [PlannedRun, Outcome] => [
    tileRun(deviceKey, 'large', square(n)),
    measured(10 * n ** 3),
  ];
  await recordAll(store, deviceKey, workerId, [
    ...[1024, 2048, 4096].map(vectorNs),
    ...[128, 64].map(ranked),
  ]);
  expect(await find({ ...cube(4096), device: deviceKey })).toMatchObject({
    fallback: 'device',
    address: tileAddress('large'),
    result: { medianNs: 10 * 128 ** 3 },
  });
  // One quick time of the very shape is no promise.
  const [run, outcome] = screened('middle', 4096, 5e6);
  await recordAll(store, deviceKey, workerId, [[{ ...run, deviceKey }, outcome]]);
  expect(await find({ ...cube(4096), device: deviceKey })).toMatchObject({
    address: tileAddress('middle'),
    prediction: { basis: 'measured' },
  });
});

test('a few times say nothing of a kernel that is not among them', async () => {
  const beginner = await attach(store, 'Beginner');
  const [run, outcome] = screened('small', 700, 3.1e6);
  await recordAll(store, beginner.deviceKey, beginner.workerId, [
    [{ ...run, deviceKey: beginner.deviceKey }, outcome],
  ]);
  expect(await find({ ...cube(700), device: beginner.deviceKey })).toMatchObject({
    fallback: 'architecture',
    address: tileAddress('middle'),
  });
});

test("a quick time teaches where the operator or the device's owner stands behind it", async () => {
  const elsewhere = await attach(store, 'Elsewhere');
  const own = (['small', 'middle', 'large'] as const).flatMap((tile, at) =>
    [256, 512].map((n): [PlannedRun, Outcome] => {
      const [run, outcome] = screened(tile, n, (4 + at) * 1e6 + n);
      return [{ ...run, deviceKey: elsewhere.deviceKey }, outcome];
    }),
  );
  await recordAll(store, elsewhere.deviceKey, elsewhere.workerId, own);
  const asked = { ...cube(512), device: elsewhere.deviceKey };
  expect(await find(asked)).toMatchObject({ fallback: 'device', address: tileAddress('small') });
  await execute(
    url,
    `UPDATE "Result" SET "party" = 'stranger', "confirmedBy" = NULL WHERE "workerId" = '${elsewhere.workerId}'`,
  );
  expect(await find(asked)).toMatchObject({ fallback: 'architecture' });
  await execute(
    url,
    `UPDATE "Device" SET "ownedBy" = 'stranger' WHERE "key" = '${elsewhere.deviceKey}'`,
  );
  expect(await find(asked)).toMatchObject({ fallback: 'device', address: tileAddress('small') });
});

test('a variant that would have to be faster than the device is not predicted', async () => {
  expect(await find(cube(3072))).toMatchObject({ address: tileAddress('large') });
  await store.rooflines.record({
    deviceKey: key,
    profile: 'default',
    workerId,
    survey: {
      copies: [{ bytes: 2 ** 29, gigabytesPerSecond: 1_000 }],
      lastLevelCacheBytes: null,
      peaks: [{ dtype: 'f32', gigaflopsPerSecond: 1_000 }],
    },
  });
  expect(await find(cube(3072))).toMatchObject({ address: tileAddress('small') });
});
