import type { Problem } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { type EngineTimes, faultsOf, kernelTable, kindTable, shapeTable } from './engine-table';

const square = (n: number): Problem => ({
  op: 'transpose',
  dtype: 'f32',
  shape: { rows: n, cols: n },
});
const measured: EngineTimes[] = [
  {
    problem: square(32),
    times: {
      Dawn: { 'transpose/naive[BLOCK=8]': { ns: 3_000 }, 'transpose/tiled[TILE=8]': { ns: 2_000 } },
      wgpu: {
        'transpose/naive[BLOCK=8]': { ns: 4_000 },
        'transpose/tiled[TILE=8]': { fault: 'wrong: 3 of 1024 elements\nmore' },
      },
    },
  },
  {
    problem: square(64),
    times: {
      Dawn: { 'transpose/naive[BLOCK=8]': { ns: 2_000 } },
      wgpu: { 'transpose/naive[BLOCK=8]': { ns: 1_000 } },
    },
  },
];

it('sets the best of each beside the best of the first, and none that is wrong', () => {
  expect(shapeTable(measured)).toBe(
    `| problem | Dawn | its best variant | wgpu | its best variant | wgpu / Dawn |
| --- | --- | --- | --- | --- | --- |
| transpose f32 32 | 2.000 µs | tiled[TILE=8] | 4.000 µs | naive[BLOCK=8] | 0.50 |
| transpose f32 64 | 2.000 µs | naive[BLOCK=8] | 1.000 µs | naive[BLOCK=8] | 2.00 |`,
  );
  expect(faultsOf(measured)).toEqual([
    'transpose f32 32, wgpu, transpose/tiled[TILE=8]: wrong: 3 of 1024 elements',
  ]);
});

it('takes the mean of ratios, and names the worst', () => {
  const [, , kind, all] = kindTable(measured).split('\n');
  const rest = '2 | 1.000 | transpose f32 32 0.50, transpose f32 64 2.00 |';
  expect(kind).toBe(`| wgpu / Dawn: transpose f32 | ${rest}`);
  expect(all).toBe(`| wgpu / Dawn: all | ${rest}`);
});

it('sets a variant beside itself', () => {
  expect(kernelTable(measured.slice(0, 1)).split('\n').slice(2)).toEqual([
    '| transpose/naive | transpose f32 32 | 3.000 µs | 4.000 µs | 0.75 |',
    '| transpose/tiled | transpose f32 32 | 2.000 µs | none |  |',
  ]);
});
