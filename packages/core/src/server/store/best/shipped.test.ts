import { parseVariant } from '@tilemark/kernels';
import { beforeAll, expect, test } from 'vitest';
import { leaderboardQuerySchema } from '../../../api/api';
import { deviceKey } from '../../../measure/hardware';
import { shippedFor } from '../../../tune/shipped-evidence';
import { capabilities, measured, recordAll, square } from '../fixtures.test-helper';
import { testStore } from '../store.test-helper';
import {
  type Asked,
  bestOf,
  cube,
  deviceWith,
  questionOf,
  tileAddress,
  tileRun,
} from './tiles.test-helper';

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
let key: string;
const { store } = await testStore();
beforeAll(async () => {
  key = await deviceWith(store, h200, []);
});

const find = (asked: Asked) => bestOf(store, asked);

test('shipped variants decide for a device that has no results here, plainly marked', async () => {
  const found = await find({ ...cube(4096), profile: 'fast', device: key });
  expect(found).toMatchObject({
    basis: 'device',
    address: parseVariant(tuned!.address).address,
    quote: {
      ns: tuned!.medianNs,
      source: tuned!.origin.by === 'tuner' ? 'searched' : 'shipped',
      device: 'NVIDIA H200',
      driver: expect.stringContaining('580.159'),
      measuredAt: expect.stringContaining('2026-11-21'),
      rate: { unit: 'GFLOP/s' },
      resultId: null,
    },
  });
  expect(found?.wgsl).toContain('const BM: u32 = 128u;');
  expect(found?.passes).toEqual([{ entryPoint: 'main', workgroups: [32, 32, 1] }]);
});

test('features that a device shows under another profile only do not rule them out', async () => {
  const asked = { ...cube(4096), dtype: 'f16', device: key } as const;
  expect(await find({ ...asked, profile: 'fast' })).toMatchObject({
    basis: 'device',
    needs: { features: expect.arrayContaining(['shader-f16']) },
  });
  expect(await find({ ...asked, profile: 'default' })).toBeNull();
});

test('they are found by the vendor, too, and not for another one', async () => {
  const near = { ...cube(4000), profile: 'fast' } as const;
  const found = await find({ ...near, vendor: 'NVIDIA' });
  expect(found).toMatchObject({
    basis: 'vendor',
    quote: { device: 'NVIDIA H200', source: 'predicted' },
  });
  expect(found?.others).toHaveLength(3);
  expect(found?.quote?.ns).toBeGreaterThan(1e6);
  expect(await find({ ...near, vendor: 'apple' })).toMatchObject({ basis: 'portable' });
});

test('nothing is predicted to be faster than the device can be', async () => {
  for (const n of [6144, 12_288, 16_384]) {
    const found = await find({ ...cube(n), vendor: 'nvidia' });
    // Families that few and smaller shapes were seen of promise more.
    expect(found?.quote).toMatchObject({ source: 'predicted' });
    expect(found?.quote?.rate.value).toBeLessThan(67_000);
  }
});

test('a time of the very shape under the other profile is quoted with the profile', async () => {
  const found = await find({ ...cube(2048), device: key });
  const own = tunedAt('2048');
  expect(found).toMatchObject({
    address: parseVariant(own!.address).address,
    quote: { profile: 'fast', shape: '2048', ns: own!.medianNs },
  });
  const [other] = found?.others ?? [];
  expect(other?.source === 'predicted' || other!.ns > own!.medianNs).toBe(true);
});

test('what the device cannot run is out, with the reasons', async () => {
  const { deviceKey } = await store.workers.attach({
    name: 'w',
    host: 'h',
    version: '0',
    identity: { ...h200, device: 'NVIDIA H200', backend: 'd3d12' },
    capabilities: { ...capabilities, maxComputeWorkgroupStorageSize: 1024 },
  });
  const [row] = await store.best(questionOf({ shapes: 4096, profile: 'fast', device: deviceKey }));
  expect(row?.best).toBeNull();
  expect(row?.excluded.map(({ reason }) => reason).join()).toMatch(/workgroup memory/);
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
  const shipped = { address: parseVariant(tuned!.address).address, quote: { resultId: null } };
  expect(await find(asked)).toMatchObject(shipped);
  expect(await find({ ...asked, device: undefined, vendor: 'nvidia' })).toMatchObject(shipped);

  await recordAll(store, key, workerId, [[own('middle'), measured(tuned!.medianNs / 1.2)]]);
  expect(await find(asked)).toMatchObject({
    basis: 'device',
    address: tileAddress('middle'),
    quote: { source: 'measured', resultId: expect.any(String) },
  });
});
