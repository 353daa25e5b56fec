import { type GpuKernel, kernelById, resolveVariant } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { shareText, tileOf } from './tile';

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

it('does not count the threads of an element where threads share sums', () => {
  // 16 threads share each sum, and each of them has four sums of the 64.
  const strip = tile('matmul/few-rows', { ROWS: 1, LANES: 16, DEEP: 16, DOWN: 1, UNROLL: 2 });
  expect(strip).toMatchObject({ rows: 1, cols: 64, threads: 256 });
  expect(shareText(strip?.elementsPerThread ?? 0)).toBe('with 4 times as many threads as elements');
  expect(shareText(1)).toBe('one element per thread');
  expect(shareText(128)).toBe('128 elements per thread');
});
