import { type Pace, type PolicyId, type RooflineSurvey, secondsOf } from '@tilemark/core';
import { expect, it } from 'vitest';
import { ratePaces } from './rate-paces';

const roofs = [
  { peaks: [{ gigaflopsPerSecond: 100 }], copies: [{ gigabytesPerSecond: 10 }] },
] as unknown as RooflineSurvey[];
const past: Pace[] = [
  { deviceKey: 'a', op: 'matmul', shape: '128', policy: 'default', seconds: 4 },
  { deviceKey: 'a', op: 'matmul', shape: '2040', policy: 'default', seconds: 33 },
];
const secondsWith = (n: number, paces: readonly Pace[], policy: PolicyId = 'default') =>
  secondsOf(
    {
      deviceKey: 'a',
      problem: { op: 'matmul', shape: { m: n, n, k: n }, dtype: 'f32' },
      policy,
    },
    [...paces, ...ratePaces('a', roofs, paces)],
  );

it('estimates problems unlike any past one from the roof, the others from the past', () => {
  expect(secondsWith(128, past)).toBe(4);
  expect(secondsWith(2048, past)).toBe(33);
  // 2 x 1024³ operations at a tenth of the roof, 60 + 10 times, and what every run takes.
  expect(secondsWith(1024, past)).toBeCloseTo(2.5 + (70 * 2 * 1024 ** 3) / 100e9 / 0.1, 5);
});

it('follows the rate of past runs, and counts every dispatch that a run needs', () => {
  // 128³ in 4 ms, and 4096³ in 131 s: each of its ten is beyond the limits of the series.
  const slow = past.map((pace) => (pace.shape === '128' ? { ...pace, dispatchNs: 4e6 } : pace));
  expect(secondsWith(4096, slow)).toBeCloseTo(2.5 + 10 * 131.072 + 30, 3);
  expect(secondsWith(4096, slow, 'screen')).toBeCloseTo(2.5 + 7 * 131.072 + 2, 3);
  // What takes as long as a launch tells no rate.
  const launch = past.map((pace) => ({ ...pace, dispatchNs: 20e3 }));
  expect(secondsWith(4096, launch)).toBe(secondsWith(4096, past));
});
