import { parseVariant } from '@tilemark/kernels';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../../services.test-helper';
import { deviceKey } from '../../../measure/device';
import { shippedFor } from '../../../tune/shipped-evidence';
import { type BestQuery, leaderboardQuerySchema } from '../../../view/api';
import { capabilities, measured, recordAll, square } from '../fixtures.test-helper';
import type { Store } from '../store';
import { openStore } from '../store';
import { bestOf, cube, deviceWith, tileAddress, tileRun } from './tiles.test-helper';

const h200 = {
  vendor: 'nvidia',
  architecture: '',
  device: 'NVIDIA H200',
  backend: 'vulkan',
  runtime: 'dawn',
  class: 'gpu',
} as const;
const found = shippedFor(
  { key: deviceKey(h200) },
  { op: 'matmul', dtype: 'f32', profile: 'fast' },
)?.measured;
const tunedAt = (wanted: string) =>
  found?.find(({ profile, shape }) => profile === 'fast' && shape === wanted);
const tuned = tunedAt('4096');
let store: Store;
let key: string;
beforeAll(async () => {
  store = openStore(await testDatabase());
  key = await deviceWith(store, h200, []);
});
afterAll(() => store.close());

const find = (over: Partial<BestQuery>) => bestOf(store, over);

test('shipped variants decide for a device that has no results here, plainly marked', async () => {
  const found = await find({ ...cube(4096), profile: 'fast', device: key });
  expect(found).toMatchObject({
    fallback: 'shipped',
    isExact: true,
    address: parseVariant(tuned!.address).address,
    devices: 0,
    partOfBest: null,
    result: null,
    isSourceMeasured: null,
    shipped: {
      device: 'NVIDIA H200',
      driver: expect.stringContaining('580.159'),
      measuredAt: expect.stringContaining('2026-11-21'),
      rate: { unit: 'GFLOP/s' },
      found: { by: tuned!.found.by },
    },
  });
  expect(found?.wgsl).toContain('const BM: u32 = 128u;');
  expect(found?.passes).toEqual([{ entryPoint: 'main', workgroups: [32, 32, 1] }]);
});

test('features that a device shows under another profile only do not rule them out', async () => {
  const asked = { ...cube(4096), dtype: 'f16', device: key } as const;
  expect(await find({ ...asked, profile: 'fast' })).toMatchObject({
    fallback: 'shipped',
    needs: { features: expect.arrayContaining(['shader-f16']) },
  });
  expect(await find({ ...asked, profile: 'default' })).toBeNull();
});

test('they are found by the vendor, too, and not for another one', async () => {
  const near = { ...cube(4000), profile: 'fast' } as const;
  const found = await find({ ...near, vendor: 'NVIDIA' });
  expect(found).toMatchObject({
    fallback: 'shipped',
    isExact: false,
    shipped: null,
    prediction: { device: 'NVIDIA H200', basis: 'predicted' },
  });
  expect(found?.prediction?.runnersUp).toHaveLength(3);
  expect(found?.prediction?.ns).toBeGreaterThan(1e6);
  expect(await find({ ...near, vendor: 'acme' })).toMatchObject({ fallback: 'portable' });
});

test('nothing is predicted to be faster than the device can be', async () => {
  for (const n of [6144, 12_288, 16_384]) {
    const found = await find({ ...cube(n), vendor: 'nvidia' });
    // Families that few and smaller shapes were seen of promise more.
    expect(found?.prediction).toMatchObject({ basis: 'predicted' });
    expect(found?.prediction?.rate.value).toBeLessThan(67_000);
  }
});

test('a time of the very shape under the other profile yields only to a prediction well below it', async () => {
  const found = await find({ ...cube(2048), device: key });
  const own = tunedAt('2048');
  expect(found).toMatchObject({
    address: parseVariant(own!.address).address,
    isExact: true,
    measured: square(2048),
    prediction: { profile: 'fast', basis: 'measured', ns: own!.medianNs },
  });
  const [other] = found?.prediction?.runnersUp ?? [];
  expect(other!.ns * (1 + 2 * other!.error)).toBeGreaterThan(own!.medianNs);
});

test('they leave what the device cannot run to others', async () => {
  const { deviceKey } = await store.workers.attach({
    name: 'w',
    host: 'h',
    version: '0',
    identity: { ...h200, device: 'NVIDIA H200', backend: 'd3d12' },
    capabilities: { ...capabilities, maxComputeWorkgroupStorageSize: 1024 },
  });
  expect(await find({ ...cube(4096), profile: 'fast', device: deviceKey })).toBeNull();
});

test('the faster by evidence decides: a slow result does not hide what ships, a fast one wins', async () => {
  const own = (tile: 'small' | 'middle') =>
    ({ ...tileRun(key, tile, square(4096)), profile: 'fast' }) as const;
  const { workerId } = await store.workers.attach({
    name: 'w',
    host: 'h',
    version: '0',
    identity: h200,
    capabilities,
  });
  const asked = { ...cube(4096), profile: 'fast', device: key } as const;
  const board = leaderboardQuerySchema.parse({ shape: '4096', profile: 'fast' });
  expect((await store.leaderboard(board)).rows).toEqual([]);
  await recordAll(store, key, workerId, [[own('small'), measured(1e9)]]);
  expect((await store.leaderboard(board)).rows).toHaveLength(1);
  expect(await find(asked)).toMatchObject({ fallback: 'shipped', isExact: true, result: null });
  expect(await find({ ...asked, device: undefined, vendor: 'nvidia' })).toMatchObject({
    fallback: 'shipped',
  });

  await recordAll(store, key, workerId, [[own('middle'), measured(tuned!.medianNs / 1.2)]]);
  expect(await find(asked)).toMatchObject({
    fallback: 'device',
    address: tileAddress('middle'),
    shipped: null,
  });
});
