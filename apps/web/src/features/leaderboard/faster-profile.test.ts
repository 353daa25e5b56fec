import { expect, test } from 'vitest';
import { fasterThan } from './faster-profile';

const best = (name: string, rate: number, kernel = 'matmul/tiled') => ({ name, kernel, rate });

test('what is faster under another profile is named per device, with its fastest kernel', () => {
  const here = [best('A', 100), best('A', 80), best('B', 100)];
  const there = [best('A', 300), best('A', 400, 'matmul/warp-tile'), best('C', 900)];
  expect(fasterThan(here, there)).toEqual([best('A', 400, 'matmul/warp-tile')]);
});

test('a difference within the margin of ranks is none', () => {
  expect(fasterThan([best('A', 100)], [best('A', 100.4)])).toEqual([]);
  expect(fasterThan([best('A', 100)], [best('A', 100.6)])).toHaveLength(1);
});
