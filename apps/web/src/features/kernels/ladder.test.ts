import { readdir, readFile } from 'node:fs/promises';
import { benchFileSchema } from '@tilemark/core';
import { importResults, openStore, type Store } from '@tilemark/core/server';
import { parseProblem, shapeText } from '@tilemark/kernels';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../../../packages/core/services.test-helper';
import {
  attach,
  kernelRun,
  measured,
  recordAll,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { ladderOf } from './ladder';

const FOLDER = new URL('../../../../../docs/results/h200-2026-11-21/', import.meta.url);

let url: string;
let store: Store;
beforeAll(async () => {
  url = await testDatabase();
  store = openStore(url);
});
afterAll(() => store.close());

test('a figure of reference is an imported result once a file has brought it', async () => {
  const whereOf = async (of: Store) =>
    (await ladderOf(of, 'matmul')).fastest.get('matmul/tiled-wpt')?.where;
  expect(await whereOf(store)).toBe('NVIDIA H200, reference');
  // By the current protocol, unlike the files: so the board's own shapes are others.
  const { deviceKey, workerId } = await attach(store);
  await recordAll(store, deviceKey, workerId, [
    [kernelRun(deviceKey, 'matmul/naive'), measured(1e6)],
  ]);
  for (const name of await readdir(FOLDER)) {
    const file = benchFileSchema.parse(JSON.parse(await readFile(new URL(name, FOLDER), 'utf8')));
    await importResults({ store }, file, { name: 'admin', role: 'admin' });
  }
  // What a store has read it keeps for 30 s.
  await store.close();
  store = openStore(url);
  expect(await whereOf(store)).toBe('NVIDIA H200, imported');
  // Pages of the kernel and of the device mark it too.
  const shape = '8192';
  const { rows } = await store.kernelResults({ kernel: 'matmul/tiled', shape, profile: 'default' });
  expect(rows).toMatchObject([{ imported: { by: 'admin' } }]);
  const { fastest } = await ladderOf(store, 'matmul');
  expect(fastest.get('matmul/tiled')?.rate).toBeGreaterThan(rows[0]?.rate.value ?? 1e9);
  const key = rows[0]?.device.key ?? '';
  expect((await store.devices.summaries([key])).get(key)?.bests[0]?.isImported).toBe(true);
});

test('a ceiling has the rate that was measured here, not ranked', async () => {
  const own = openStore(await testDatabase());
  const { deviceKey, workerId } = await attach(own);
  // Larger than any of the reference, and at once.
  const problem = parseProblem({ op: 'transpose', shape: '8192', dtype: 'f32' });
  await recordAll(own, deviceKey, workerId, [
    [kernelRun(deviceKey, 'transpose/copy', problem), measured(1e3)],
    [kernelRun(deviceKey, 'transpose/naive', problem), measured(2e3)],
  ]);
  const { fastest } = await ladderOf(own, 'transpose');
  await own.close();
  expect(fastest.get('transpose/copy')).toMatchObject({ where: 'One', isRanked: false });
  expect(fastest.get('transpose/naive')).toMatchObject({ where: 'One', isRanked: true });
});

test('each kernel has its highest rate on any problem', async () => {
  const { fastest } = await ladderOf(store, 'matmul');
  const of = (kernel: string) => {
    const { problem, rate, where } = fastest.get(kernel)!;
    return [shapeText(problem), problem.dtype, Math.round(rate), where];
  };
  expect(of('matmul/subgroup-matrix')).toEqual([
    '8192',
    'f16acc16',
    413_604,
    'NVIDIA H200, reference',
  ]);
  // An imported result is one of the grid.
  expect(of('matmul/tiled-wpt')).toEqual(['2048', 'f32', 18_346, 'NVIDIA H200, imported']);
});
