import { expect, test } from 'vitest';
import { peakLabels } from './roofline-plot';

const f32 = { dtype: 'f32', gigaflopsPerSecond: 1000 } as const;
const i32 = (gigaflopsPerSecond: number) => ({ dtype: 'i32', gigaflopsPerSecond }) as const;

test('lines too near for two labels share one, at the higher', () => {
  const axis = [1, 10_000];
  expect(peakLabels([i32(300), f32], axis).map(({ rate }) => rate)).toEqual([1000, 300]);
  expect(peakLabels([i32(900), f32], axis)).toEqual([
    { rate: 1000, text: 'f32 1,000 GFLOP/s, i32 900.0 Gop/s' },
  ]);
});
