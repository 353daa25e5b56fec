import { deviceKey, observationsOf, shippedDevices, shippedEvidence } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import { kernelOf, shapeText } from '@tilemark/kernels';
import { rollup } from 'd3-array';
import { expect, test } from 'vitest';
import { shippedOn } from '@/server/best/shipped';
import { floorOf, mappedDevices, winnerMapsOf, winningKernels } from './winners';

/** A grid that has measured nothing. */
const fresh = {
  devicesWithWinners: async () => [],
  winners: async () => [],
} as unknown as Store;

test('a fresh grid has maps of what ships, in f32 and f16, each winner the least time of its shape', async () => {
  const [device] = await mappedDevices(fresh);
  expect(device?.name).toBe('NVIDIA H200');
  const maps = await winnerMapsOf(fresh, device?.key ?? '');
  expect(maps.map(({ dtype }) => dtype)).toEqual(['f32', 'f16']);
  for (const { dtype, winners } of maps) {
    const file = shippedEvidence().find((each) => each.op === 'matmul' && each.dtype === dtype);
    const least = new Map(
      rollup(
        file ? observationsOf(file) : [],
        (times) => Math.min(...times.map(({ ns }) => ns)),
        ({ problem }) => shapeText(problem),
      ),
    );
    const won = winners.map(({ medianNs, problem }) => [shapeText(problem), medianNs] as const);
    expect(new Map(won)).toEqual(least);
  }
});

test('the first map has the most shapes, of a GPU of the grid before others', async () => {
  const device = (key: string, kind: string) => ({ device: { key, name: key, class: kind } });
  const [h200, h100] = (await mappedDevices(fresh)).map(({ key }) => key);
  const measured = [device('soft', 'software'), device('own', 'gpu'), device(h100 ?? '', 'gpu')];
  const store = { ...fresh, devicesWithWinners: async () => measured } as unknown as Store;
  const keys = (await mappedDevices(store)).map(({ key }) => key);
  expect(keys).toEqual([h100, h200, 'own', 'soft']);
});

test('every device whose times ship has the key under which its page is', () => {
  for (const identity of shippedDevices()) expect(shippedOn(deviceKey(identity))).not.toEqual([]);
});

test('letters follow the sizes at which kernels win; a cell begins at a power of two', async () => {
  const [device] = await mappedDevices(fresh);
  const maps = await winnerMapsOf(fresh, device?.key ?? '');
  const kernels = winningKernels(maps);
  expect(kernels.map(({ letter }) => letter).join('')).toMatch(/^ABCD/);
  const middles = kernels.map(({ middle }) => middle);
  expect(middles).toEqual(middles.toSorted((a, b) => a - b));
  for (const { from, middle, to } of kernels) expect(from <= middle && middle <= to).toBe(true);
  const won = maps.flatMap(({ winners }) => winners.map(({ address }) => kernelOf(address)));
  expect(new Set(kernels.map(({ kernel }) => kernel))).toEqual(new Set(won));
  expect([1, 3, 4, 1023, 1024].map(floorOf)).toEqual([1, 2, 4, 512, 1024]);
});
