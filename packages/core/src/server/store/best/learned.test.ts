import { hash32, opOf, type Problem } from '@tilemark/kernels';
import { beforeAll, expect, test } from 'vitest';
import type { RunSpec } from '../../../api/run';
import type { Outcome } from '../../../measure/outcome';
import { attach, measured, recordAll, square } from '../fixtures.test-helper';
import { testStore } from '../store.test-helper';
import { type Asked, bestOf, cube, type Tile, tileAddress, tileRun } from './tiles.test-helper';

let key: string;
let workerId: string;
const { store } = await testStore();
beforeAll(async () => {
  ({ deviceKey: key, workerId } = await attach(store, 'Learner'));
});

const find = (asked: Asked) => bestOf(store, { device: key, ...asked });

/** One tile starts sooner, the other computes faster: they cross between 512 and 1024. */
const timeNs = (tile: Tile, problem: Problem): number => {
  const flops = opOf(problem).flops(problem.shape);
  return tile === 'small' ? 4e6 + flops / 500 : 4.6e6 + flops / 2_000;
};

const screened = (tile: Tile, n: number, ns = timeNs(tile, square(n))): [RunSpec, Outcome] => [
  { ...tileRun(key, tile, square(n)), policy: 'screen' },
  // No two series of a device are the same.
  measured(ns + (hash32(n) % 97), { policy: 'screen', samples: 7 }),
];

test('what the tuner screened here answers for shapes that nobody measured', async () => {
  expect(await find(cube(384))).toMatchObject({ basis: 'portable' });
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
      basis: 'device',
      address: tileAddress(tile),
      quote: { source: 'predicted', device: 'Learner', profile: 'default', resultId: null },
    });
    const expected = timeNs(tile, square(n));
    expect(Math.abs(Math.log((found?.quote?.ns ?? 0) / expected))).toBeLessThan(0.2);
  }
  expect(await find(cube(512))).toMatchObject({
    basis: 'device',
    address: tileAddress('small'),
    quote: { source: 'searched', shape: '512' },
  });
});

test('a new time changes the answer at once', async () => {
  await recordAll(store, key, workerId, [screened('middle', 512, 3e6)]);
  expect(await find(cube(512))).toMatchObject({ address: tileAddress('middle') });
});

test('a ranked result gives way only to a promise well below it', async () => {
  const ranked = (tile: Tile, ns: number): [RunSpec, Outcome] => [
    tileRun(key, tile, square(768)),
    measured(ns),
  ];
  const smallNs = timeNs('small', square(768));
  await recordAll(store, key, workerId, [ranked('large', 2 * smallNs)]);
  expect(await find(cube(768))).toMatchObject({
    address: tileAddress('small'),
    quote: { source: 'predicted' },
  });
  await recordAll(store, key, workerId, [ranked('middle', 0.95 * smallNs)]);
  expect(await find(cube(768))).toMatchObject({
    address: tileAddress('middle'),
    quote: { source: 'measured', resultId: expect.any(String) },
  });
});

test('a quick time with a wide interval is expected to take longer', async () => {
  const { deviceKey, workerId } = await attach(store, 'Noisy');
  const quick = (tile: Tile, n: number, ns: number, halfWidth: number): [RunSpec, Outcome] => [
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
      quick('large', n, 3.45e6, 0.5),
    ]),
  );
  const found = await find({ ...cube(512), device: deviceKey });
  expect(found).toMatchObject({ basis: 'device', address: tileAddress('small') });
});

test('a time on one shape alone is scaled by the work, and yields to any other', async () => {
  const { deviceKey, workerId } = await attach(store, 'Beginner');
  const quick = (tile: Tile, n: number, ns: number): [RunSpec, Outcome] => [
    { ...tileRun(deviceKey, tile, square(n)), policy: 'screen' },
    measured(ns, { policy: 'screen', samples: 7 }),
  ];
  await recordAll(store, deviceKey, workerId, [quick('small', 512, 1e6)]);
  const asked = { ...cube(1024), device: deviceKey };
  expect(await find(asked)).toMatchObject({
    address: tileAddress('small'),
    quote: { source: 'predicted', shape: '512', ns: 8e6, error: 1 + Math.sqrt(3) },
  });
  await recordAll(store, deviceKey, workerId, [quick('middle', 1024, 12e6)]);
  expect(await find(asked)).toMatchObject({
    address: tileAddress('middle'),
    quote: { source: 'searched' },
  });
});

test('a variant that would have to be faster than the device is not predicted', async () => {
  expect(await find(cube(3072))).toMatchObject({ address: tileAddress('large') });
  await store.rooflines.record({
    deviceKey: key,
    profile: 'default',
    workerId,
    survey: {
      copies: [{ bytes: 2 ** 29, gigabytesPerSecond: 1_000 }],
      peaks: [{ dtype: 'f32', gigaflopsPerSecond: 1_000 }],
    },
  });
  expect(await find(cube(3072))).toMatchObject({ address: tileAddress('small') });
});
