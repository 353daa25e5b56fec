import { describe, expect, test } from 'vitest';
import { PACKED_DOTS } from '../problem/dtype';
import type { Problem } from '../problem/problem';
import { parseProblem } from '../problem/shape';
import { type DeviceLimits, feasible } from './feasible';
import type { TunableValues } from './kernel';
import { KERNELS } from './registry';
import { featuresOf, featureText } from './specialise';
import { defaultsOf } from './variant';

/** The limits every WebGPU device has. */
const limits: DeviceLimits = {
  features: [],
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupSizeY: 256,
  maxComputeWorkgroupSizeZ: 64,
  maxComputeWorkgroupStorageSize: 16_384,
  maxComputeWorkgroupsPerDimension: 65_535,
  maxStorageBufferBindingSize: 134_217_728,
  maxBufferSize: 268_435_456,
};

const square = (n: number, dtype: Problem['dtype'] = 'f32'): Problem => ({
  op: 'matmul',
  shape: { m: n, n, k: n },
  dtype,
});

function why(
  kernel: string,
  tunables: TunableValues,
  problem: Problem,
  device: DeviceLimits = limits,
): string | null {
  const result = feasible({ kernel, tunables }, problem, device);
  return result.ok ? null : result.why;
}

describe('a device can run a variant', () => {
  test('within its limits', () => {
    expect(why('matmul/naive', { BLOCK: 16 }, square(1024))).toBeNull();
    expect(why('matmul/cpu-naive', {}, square(1024))).toBeNull();
    expect(why('matmul/naive', { BLOCK: 1 }, square(4096))).toBeNull();
  });

  test('not with more threads than a workgroup may have', () => {
    expect(why('matmul/naive', { BLOCK: 32 }, square(64))).toBe(
      'needs 1024 threads per workgroup; the device allows 256',
    );
  });

  test('not without the workgroup memory, said in KiB', () => {
    const device = {
      ...limits,
      maxComputeInvocationsPerWorkgroup: 1024,
      maxComputeWorkgroupStorageSize: 4096,
    };
    expect(why('matmul/tiled', { TILE: 32 }, square(64), device)).toBe(
      'needs 8 KiB of workgroup memory; the device allows 4 KiB',
    );
  });

  test('not with buffers it cannot bind, canary included', () => {
    const fits = { op: 'transpose', shape: { rows: 4096, cols: 8191 }, dtype: 'f32' } as const;
    expect(why('transpose/naive', {}, fits)).toBeNull();
    expect(why('transpose/naive', {}, { ...fits, shape: { rows: 4096, cols: 8192 } })).toContain(
      'in one buffer; the device allows 128 MiB',
    );
  });

  test('not with more workgroups than a dispatch may have', () => {
    const tall: Problem = { op: 'matmul', shape: { m: 65_536, n: 1, k: 1 }, dtype: 'f32' };
    expect(why('matmul/naive', { BLOCK: 1 }, tall)).toBe(
      'needs 65536 workgroups in one dimension; the device allows 65535',
    );
  });

  test('a layer as wide as a vocabulary, where the grid has room for it', () => {
    const layer: Problem = { op: 'matmul', shape: { m: 8, n: 262_144, k: 64 }, dtype: 'f32' };
    expect(why('matmul/naive', { BLOCK: 16 }, layer)).toBeNull();
    expect(why('matmul/naive', { BLOCK: 2 }, layer)).toContain('workgroups in one dimension');
    const vast: Problem = { ...layer, shape: { m: 2 ** 24, n: 2 ** 24, k: 2 ** 24 } };
    expect(why('matmul/naive', { BLOCK: 16 }, vast)).toContain('in one buffer');
    expect(why('matmul/cpu-naive', {}, vast)).toContain('in one array; a host allows 4 GiB');
  });

  test('not rows of part of a block', () => {
    const problem: Problem = { op: 'matmul', shape: { m: 4, n: 8, k: 48 }, dtype: 'f32-q4' };
    expect(why('matmul/naive', {}, problem)).toContain('k must be a multiple of 32');
    expect(why('matmul/naive', {}, { ...problem, shape: { m: 4, n: 8, k: 64 } })).toBeNull();
  });

  test('not a K beyond the end of a bounded loop', () => {
    const deep: Problem = { op: 'matmul', shape: { m: 64, n: 64, k: 65_537 }, dtype: 'f32' };
    const bounded = { kernel: 'matmul/warp-tile', tunables: { TILE_LOOP: 'bounded' } };
    expect(feasible(bounded, deep, limits)).toMatchObject({
      why: expect.stringContaining('TILE_LOOP=bounded ends at K = 65536'),
    });
    expect(why('matmul/stream-k', {}, deep)).toContain('takes K up to 65536');
    expect(why('matmul/warp-tile', { BM: 64, BN: 64, TN: 8 }, deep)).toBeNull();
  });

  test('not without the features of the dtype', () => {
    expect(why('matmul/naive', {}, square(64, 'f16'))).toContain('shader-f16');
    const device = { ...limits, features: ['shader-f16'] };
    expect(why('matmul/naive', {}, square(64, 'f16'), device)).toBeNull();
  });

  test('not without packed dot products, where its shader has them', () => {
    const problem: Problem = { op: 'matmul', shape: { m: 4, n: 8, k: 64 }, dtype: 'q8-q8' };
    const halves = { ...limits, features: ['shader-f16'] };
    expect(why('matmul/naive', {}, problem, halves)).toBeNull();
    expect(why('matmul/rows-of-weights', {}, problem, halves)).toBe(
      'needs packed_4x8_integer_dot_product, which the device does not have',
    );
    const packed = { ...limits, features: [...halves.features, PACKED_DOTS] };
    expect(why('matmul/rows-of-weights', {}, problem, packed)).toBeNull();
  });

  test("not in a dtype or op that is not the kernel's", () => {
    expect(why('matmul/cpu-naive', {}, square(64, 'f16'))).toBe(
      'matmul/cpu-naive supports f32, i32, not f16',
    );
    expect(why('transpose/naive', {}, square(64))).toBe(
      'transpose/naive computes transpose, not matmul',
    );
  });

  test('and every reason is told', () => {
    const device = { ...limits, maxComputeWorkgroupStorageSize: 4096 };
    expect(why('matmul/tiled', { TILE: 32 }, square(8192), device)?.split('; also ')).toHaveLength(
      3,
    );
  });
});

describe('a problem may be what a variant is not made for', () => {
  const tiled = (tunables: Record<string, string | number>, problem: Problem) => {
    const device = { ...limits, maxComputeInvocationsPerWorkgroup: 1024 };
    const result = feasible({ kernel: 'matmul/tiled', tunables }, problem, device);
    return result.ok ? null : result.why;
  };

  test('a size, where nobody looks at bounds', () => {
    expect(tiled({ BOUNDS: 'none' }, square(64))).toBeNull();
    expect(tiled({ BOUNDS: 'none' }, square(65))).toContain('a multiple of TILE');
    expect(tiled({ BOUNDS: 'or' }, square(65))).toBeNull();
  });

  test('a dtype, where the hardware has no such operation', () => {
    expect(tiled({ MULADD: 'fma' }, square(64))).toBeNull();
    expect(tiled({ MULADD: 'fma' }, square(64, 'i32'))).toContain('integers have no fma');
  });

  test('values, where they make no sense together', () => {
    expect(tiled({ TILE: 2, UNROLL: 4 }, square(64))).toContain('UNROLL must be at most TILE');
  });
});

/** Of WebGPU, of WGSL and of Chromium's experiments; in words what is a property of the adapter. */
const FEATURE =
  /^(shader-f16|subgroups|packed_4x8_integer_dot_product|chromium-experimental-[a-z-]+ \(Tint alone compiles it\)|subgroups of \d+ threads|\w+ to \w+ matrices of [\dx]+)$/;

test('no feature that a variant needs is named as WebGPU has none, nor in why it is skipped', () => {
  const known = new Set<string>();
  for (const kernel of KERNELS) {
    if (kernel.runsOn !== 'gpu') continue;
    const { dtypes, id, op, tunables } = kernel;
    const usual = defaultsOf(tunables);
    const all = tunables.flatMap(({ name, values }) =>
      values.map((value) => ({ ...usual, [name]: value })),
    );
    for (const dtype of dtypes) {
      for (const values of [usual, ...all]) {
        const features = featuresOf(kernel, values, dtype);
        for (const name of features) known.add(featureText(name));
        const reason = why(id, values, parseProblem({ op, shape: '64', dtype })) ?? '';
        expect(reason).not.toMatch(/subgroup-(size|matrix)-/);
      }
    }
  }
  expect(known.size).toBeGreaterThan(4);
  expect([...known].filter((text) => !FEATURE.test(text))).toEqual([]);
});
