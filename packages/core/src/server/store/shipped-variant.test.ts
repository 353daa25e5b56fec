import { parseVariant, shapeText } from '@tilemark/kernels';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../test-services';
import { type BestQuery, leaderboardQuerySchema } from '../../api';
import { tunedFiles } from '../../tuned/tuned';
import type { Store } from '../store';
import { openStore } from './open-store';
import { capabilities, measured, recordAll, square } from './test-fixtures';
import { bestOf, cube, deviceWith, tileAddress, tileRun } from './test-tiles';

const h200 = {
  vendor: 'nvidia',
  architecture: '',
  device: 'NVIDIA H200',
  backend: 'vulkan',
  runtime: 'dawn',
  class: 'gpu',
} as const;
const tuned = tunedFiles()
  .flatMap(({ device, variants }) => (device.device === h200.device ? variants : []))
  .find(
    ({ problem, profile }) =>
      profile === 'fast' && problem.dtype === 'f32' && shapeText(problem) === '4096',
  );
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

test('they are found by the vendor, too, and not for another one', async () => {
  const near = { ...cube(4000), profile: 'fast' } as const;
  expect(await find({ ...near, vendor: 'NVIDIA' })).toMatchObject({
    fallback: 'shipped',
    isExact: false,
    measured: square(4096),
  });
  expect(await find({ ...near, vendor: 'acme' })).toBeNull();
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

test('they give way to results of the device, and stay on no board', async () => {
  const own = { ...tileRun(key, 'small', square(4096)), profile: 'fast' as const };
  const { workerId } = await store.workers.attach({
    name: 'w',
    host: 'h',
    version: '0',
    identity: h200,
    capabilities,
  });
  const query = leaderboardQuerySchema.parse({ shape: '4096', profile: 'fast' });
  expect((await store.leaderboard(query)).rows).toEqual([]);
  await recordAll(store, key, workerId, [[own, measured(1e9)]]);
  expect(await find({ ...cube(4096), profile: 'fast', device: key })).toMatchObject({
    fallback: 'device',
    address: tileAddress('small'),
    shipped: null,
  });
  expect((await store.leaderboard(query)).rows).toHaveLength(1);
});
