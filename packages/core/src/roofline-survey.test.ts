import { expect, it } from 'vitest';
import { impliedCacheBytes } from './roofline-survey';

const MiB = 2 ** 20;
const curve = (...rates: number[]) =>
  rates.map((gigabytesPerSecond, index) => ({ bytes: MiB * 2 ** index, gigabytesPerSecond }));

it('is the last working set before the copies fall to the rate of memory', () => {
  expect(impliedCacheBytes(curve(800, 1000, 1000, 950, 420, 400, 400))).toBe(8 * MiB);
});

it('is that of the last level where several fall', () => {
  expect(impliedCacheBytes(curve(4000, 4000, 2600, 2500, 2400, 800, 800))).toBe(16 * MiB);
});

it('does not take launches that small sets do not hide for a cache that is slow', () => {
  expect(impliedCacheBytes(curve(50, 200, 900, 1000, 990, 400, 400))).toBe(16 * MiB);
});

it('is unknown where nothing is faster than memory, and without copies', () => {
  expect(impliedCacheBytes(curve(100, 105, 103, 100))).toBeNull();
  expect(impliedCacheBytes([])).toBeNull();
});
