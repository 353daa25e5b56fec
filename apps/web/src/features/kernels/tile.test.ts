import { tileOf } from '@tilemark/core';
import {
  defaultsOf,
  type GpuKernel,
  kernelById,
  resolveVariant,
  specialise,
  type TunableValues,
} from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { shareText } from './tile';

const tile = (id: string, chosen: Record<string, string | number> = {}) => {
  const { definition, tunables } = resolveVariant(id, chosen);
  return tileOf(definition as GpuKernel, tunables, 'f32');
};

it('is read off the declaration', () => {
  expect(tile('matmul/tiled', { TILE: 8, MAPPING: 'row-x' })).toEqual({
    rows: 8,
    cols: 8,
    threads: 64,
    elementsPerThread: 1,
    sharing: { threads: 1, as: 'sums' },
    workgroupBytes: 512,
  });
  expect(tile('matmul/tiled-wpt', { TILE: 32, WPT: 4 })).toMatchObject({
    rows: 32,
    cols: 32,
    elementsPerThread: 4,
  });
  const warp = kernelById('matmul/warp-tile').tunables;
  const side = (name: string) => warp.find((tunable) => tunable.name === name)?.default;
  expect(tile('matmul/warp-tile')).toMatchObject({ rows: side('BM'), cols: side('BN') });
  expect(tile('transpose/padded')).toMatchObject({ elementsPerThread: 1 });
});

it('is nothing for a kernel that runs along memory', () => {
  expect(tile('transpose/copy')).toBeNull();
});

const texts = (id: string, chosen: Record<string, string | number> = {}) => {
  const own = tile(id, chosen);
  return own && shareText(own);
};

it('says how the elements of a tile are shared out, and that sums are shared', () => {
  expect(texts('transpose/padded')).toBe('one element per thread');
  expect(texts('matmul/tiled-wpt', { WPT: 8 })).toBe('8 elements per thread');
  const strip = { LANES: 16, DEEP: 16, DOWN: 1, UNROLL: 1 };
  expect(texts('matmul/few-rows', { ROWS: 4, ...strip })).toBe(
    '16 elements per thread, each shared with 15 other threads along K',
  );
  expect(texts('matmul/few-rows', { ROWS: 16, ...strip, DEEP: 1, LANES: 32 })).toBe(
    '64 elements per thread',
  );
  expect(texts('matmul/few-cols', { COLS: 1, ROWS: 1, LANES: 64 })).toBe(
    'one element per thread, shared with 63 other threads along K',
  );
  expect(texts('matmul/subgroup-matrix')).toMatch(/^[\d,]+ elements per subgroup of 32 threads$/);
});

/** Sums that a shader declares at its first entry point: vec4s, or single ones. */
function sumsIn(wgsl: string): number {
  const [, body = ''] = /^@compute[\s\S]*?^fn (?:main|product)\b([\s\S]*?)^\}/m.exec(wgsl) ?? [];
  const declared = [...body.matchAll(/\bvar c\d+(?:_\d+)?: (\w)/g)];
  return declared.reduce((count, [, type]) => count + (type === 'V' ? 4 : 1), 0);
}

it.each([
  'matmul/register-tile',
  'matmul/warp-tile',
  'matmul/warp-elements',
  'matmul/few-rows',
  'matmul/few-cols',
])('counts for each variant of %s the sums that its shader declares', (id) => {
  const kernel = kernelById(id) as GpuKernel;
  for (const values of variantsOf(kernel)) {
    const own = tileOf(kernel, values, 'f32');
    expect([values, own?.elementsPerThread]).toEqual([
      values,
      sumsIn(specialise(kernel, values, 'f32')),
    ]);
  }
});

/** Each value of each tunable, and of each two, with defaults for the others. */
function variantsOf(kernel: GpuKernel): TunableValues[] {
  const defaults = defaultsOf(kernel.tunables);
  const pairs = kernel.tunables.flatMap((a) =>
    kernel.tunables.flatMap((b) =>
      a.values.flatMap((x) => b.values.map((y) => ({ ...defaults, [a.name]: x, [b.name]: y }))),
    ),
  );
  return pairs.filter((values) => kernel.constraints.every(({ holds }) => holds(values)));
}
