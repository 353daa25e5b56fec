import { type Pace, type RooflineSurvey, secondsOf } from '@tilemark/core';
import { expect, it } from 'vitest';
import { roofPaces } from './roof-paces';

const roofs = [
  { peaks: [{ gigaflopsPerSecond: 100 }], copies: [{ gigabytesPerSecond: 10 }] },
] as unknown as RooflineSurvey[];
const past: Pace[] = [
  { deviceKey: 'a', op: 'matmul', shape: '128', policy: 'default', seconds: 4 },
  { deviceKey: 'a', op: 'matmul', shape: '2040', policy: 'default', seconds: 33 },
];
const seconds = (n: number) =>
  secondsOf(
    {
      deviceKey: 'a',
      problem: { op: 'matmul', shape: { m: n, n, k: n }, dtype: 'f32' },
      policy: 'default',
    },
    [...past, ...roofPaces('a', roofs, past)],
  );

it('estimates problems unlike any past one from the roof, the others from the past', () => {
  expect(seconds(128)).toBe(4);
  expect(seconds(2048)).toBe(33);
  // 2 x 1024³ operations at a tenth of the roof, 60 times, and what every run takes.
  expect(seconds(1024)).toBeCloseTo(2.5 + (60 * 2 * 1024 ** 3) / 100e9 / 0.1, 5);
  expect(seconds(4096)).toBe(60);
});
