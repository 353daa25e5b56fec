import { expect, test } from 'vitest';
import { fasterThan } from './faster-profile';

const best = (name: string, rate: number, kernel = 'matmul/tiled', provenRate = rate) => ({
  name,
  kernel,
  rate,
  provenRate,
});

test('what is faster under another profile is named per device, with its fastest kernel', () => {
  const here = [best('A', 100), best('A', 80), best('B', 100)];
  const there = [best('A', 300), best('A', 400, 'matmul/warp-tile'), best('C', 900)];
  expect(fasterThan(['A', 'A', 'B'], here, there)).toEqual([best('A', 400, 'matmul/warp-tile')]);
});

test('a difference within the margin of ranks is none, nor is one that a wide interval does not prove', () => {
  const faster = (there: ReturnType<typeof best>) => fasterThan(['A'], [best('A', 100)], [there]);
  expect(faster(best('A', 100.4))).toEqual([]);
  expect(faster(best('A', 100.6))).toHaveLength(1);
  expect(faster(best('A', 300, 'matmul/tiled', 90))).toEqual([]);
});

test('hardware that is shown with a library alone has its kernel under the other profile named', () => {
  expect(fasterThan(['A'], [], [best('A', 5), best('B', 9)])).toEqual([best('A', 5)]);
});
