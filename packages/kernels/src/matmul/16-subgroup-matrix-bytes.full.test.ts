import { expect, test } from 'vitest';
import { limitsOf, useExecutor } from '../gpu/dawn.test-helper';
import { faultsOf } from '../gpu/epilogues.test-helper';
import { feasible } from '../kernel/feasible';
import { defaultsOf } from '../kernel/variant';
import type { Problem } from '../problem/problem';
import { subgroupMatrixBytes } from './16-subgroup-matrix-bytes';
import { emulated } from './emulated-fragments.test-helper';

const gpu = useExecutor();
const kernel = emulated(subgroupMatrixBytes);
const defaults = defaultsOf(kernel.tunables);

/** Of few sums per thread, since a software GPU compiles large tiles for minutes. */
const TILE = { BM: 32, BN: 32, BK: 64, WM: 16, WN: 16 };

// Every element is exact: products near 127 of one sign are among the inputs (`signed`).
test.each([
  ['whole tiles', { m: 64, n: 32, k: 192 }, {}],
  ['edges on every side', { m: 37, n: 40, k: 80 }, {}],
  ['rows that start on any word', { m: 33, n: 65, k: 100 }, {}],
  ['one word', { m: 3, n: 5, k: 4 }, {}],
  ['a step and a word', { m: 17, n: 9, k: 36 }, { BK: 32, WN: 32 }],
  ['one row', { m: 1, n: 70, k: 260 }, { BM: 16 }],
  ['one column', { m: 70, n: 1, k: 144 }, {}],
  ['rows of C that start on a vec4 alone', { m: 9, n: 36, k: 128 }, {}],
  ['long sums', { m: 5, n: 7, k: 4100 }, { BK: 128 }],
  ['fragments 8 wide', { m: 37, n: 40, k: 100 }, { FRAGMENT_N: 8 }],
  ['fragments below one another', { m: 37, n: 72, k: 160 }, { WM: 32 }],
  ['several steps per tile', { m: 33, n: 35, k: 300 }, { BK: 128 }],
  ['loads before the products', { m: 33, n: 40, k: 208 }, { LOADS: 'ahead' }],
  ['loads after half of them', { m: 33, n: 40, k: 208 }, { LOADS: 'halfway' }],
  ['two tiles ahead', { m: 33, n: 35, k: 340 }, { PREFETCH: 2 }],
  ['two tiles ahead, two per turn', { m: 37, n: 40, k: 480 }, { PREFETCH: 2, UNROLL: 2 }],
  ['bands, the last of one row', { m: 160, n: 72, k: 80 }, { ORDER: 'bands' }],
  ['K split', { m: 33, n: 35, k: 340 }, { SPLIT: 2 }],
  ['more parts than tiles of K', { m: 16, n: 40, k: 80 }, { SPLIT: 8 }],
  ['a batch', { b: 3, m: 37, n: 40, k: 80 }, {}],
  ['a batch, rows that start on any word', { b: 3, m: 33, n: 35, k: 100 }, {}],
  ['a batch, K split, in bands', { b: 2, m: 160, n: 72, k: 212 }, { SPLIT: 2, ORDER: 'bands' }],
] as const)('%s are right', async (_what, shape, change) => {
  const problem: Problem<'matmul'> = { op: 'matmul', shape, dtype: 'i8-nt' };
  const tunables = { ...TILE, ...change };
  const values = { ...defaults, ...tunables };
  expect(kernel.constraints.filter(({ holds }) => !holds(values))).toEqual([]);
  const { faults } = await faultsOf(gpu.executor, kernel, problem, tunables);
  expect(faults).toEqual([]);
});

test('a device is told what it lacks; one that has it takes every tile on large shapes', () => {
  const { candidates, id } = subgroupMatrixBytes;
  const problem: Problem<'matmul'> = {
    op: 'matmul',
    shape: { m: 4096, n: 4096, k: 4096 },
    dtype: 'i8-nt',
  };
  const device = {
    ...limitsOf(gpu.device),
    features: ['subgroups', 'subgroup-size-32', 'chromium-experimental-subgroup-matrix'],
    maxComputeWorkgroupStorageSize: 49_152,
    maxStorageBufferBindingSize: 2 ** 31 - 4,
    maxBufferSize: 2 ** 31 - 4,
  };
  expect(feasible({ kernel: id, tunables: {} }, problem, device)).toEqual({
    ok: false,
    why: 'needs i32 to i8 matrices of 16x16x32, which the device does not have',
  });
  const features = [16, 8].map((n) => `subgroup-matrix-i32-i8-16x${n}x32`);
  const all = candidates?.(problem) ?? [];
  expect(all.length).toBeGreaterThan(10);
  for (const tunables of all) {
    const offered = { ...device, features: [...device.features, ...features] };
    expect(feasible({ kernel: id, tunables }, problem, offered)).toEqual({ ok: true });
  }
});
