import { type GpuKernel, kernelById, resolveVariant } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { tileOf } from './tile';

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
