import { expect, it } from 'vitest';
import { peakLabels } from './roof-labels';

const frame = { x: [1, 10_000], y: [1, 10_000], width: 400, height: 240 } as const;
const f32 = { dtype: 'f32', gigaflopsPerSecond: 1000 } as const;
const i32 = { dtype: 'i32', gigaflopsPerSecond: 500 } as const;
const place = (
  points: readonly (readonly [x: number, y: number])[],
  peaks = [f32 as typeof f32 | typeof i32],
) =>
  peakLabels(
    peaks,
    points.map(([flopPerByte, rate]) => ({ flopPerByte, rate })),
    frame,
    10,
  );

it('stands at the right end, as long as no point is near', () => {
  expect(place([[9000, 100]])).toEqual([
    { rate: expect.closeTo(1000, 6), text: 'f32 1,000 GFLOP/s', at: expect.closeTo(10_000, 6) },
  ]);
});

it('makes way for a point above its line or just under it', () => {
  for (const rate of [900, 1050, 1400]) {
    const [label] = place([[9000, rate]]);
    expect(label?.at, `${rate}`).toBeLessThan(9000);
    expect(label?.at, `${rate}`).toBeGreaterThan(5000);
  }
  expect(place([[9000, 3000]])[0]?.at).toBeCloseTo(10_000, 6);
});

it('moves up by a line where it fits nowhere on its own, unless another line is there', () => {
  const many = Array.from({ length: 100 }, (_, i) => [10 ** (i / 25), 1050] as const);
  const [raised] = place(many);
  expect(raised?.at).toBeCloseTo(10_000, 6);
  expect(raised?.rate).toBeGreaterThan(1500);
  const [long] = peakLabels([f32], [{ flopPerByte: 5000, rate: 1050 }], frame, 9000);
  expect(long?.rate).toBeGreaterThan(1500);
  const other = { ...i32, gigaflopsPerSecond: 2000 } as unknown as typeof i32;
  expect(place(many, [f32, other]).map(({ rate }) => Math.round(rate))).toEqual([2000]);
  const far = { ...i32, gigaflopsPerSecond: 2900 } as unknown as typeof i32;
  expect(place(many, [f32, far]).map(({ rate }) => Math.round(rate))).toEqual([2900, 1000]);
});

it('is one for peaks too close for two', () => {
  const near = { ...i32, gigaflopsPerSecond: 900 } as unknown as typeof i32;
  expect(place([], [f32, i32]).map(({ rate }) => Math.round(rate))).toEqual([1000]);
  expect(place([], [f32, near])[0]?.text).toBe('f32 1,000 GFLOP/s, i32 900.0 Gop/s');
});
