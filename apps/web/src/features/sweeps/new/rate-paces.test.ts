import { type Pace, POLICIES, type PolicyId, type RooflineSurvey, secondsOf } from '@tilemark/core';
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

it('takes the rate of the past run that is nearest, on the device itself', () => {
  const [small, large] = past.map((pace, at) => ({ ...pace, dispatchNs: [4e6, 80e6][at] ?? 0 }));
  if (!small || !large) throw new Error('There are two.');
  const near = 2.5 + (70 * 80e-3 * 1024 ** 3) / 2040 ** 3;
  expect(secondsWith(1024, [small, large])).toBeCloseTo(near, 5);
  expect(secondsWith(1024, [large, small])).toBeCloseTo(near, 5);
  const elsewhere = [small, large].map((pace) => ({ ...pace, deviceKey: 'b' }));
  expect(secondsWith(1024, elsewhere)).toBe(secondsWith(1024, []));
});

it('knows what a transpose moves, and for how long energy is measured', () => {
  const problem = { op: 'transpose', shape: { rows: 4096, cols: 4096 }, dtype: 'f32' } as const;
  const transpose = { deviceKey: 'a', problem, policy: 'default' } as const;
  // 2 x 4 bytes per element at a tenth of the roof.
  const eachS = (8 * 4096 ** 2) / 10e9 / 0.1;
  expect(secondsOf(transpose, ratePaces('a', roofs, []))).toBeCloseTo(2.5 + 70 * eachS, 5);
  const { stretches = 0, stretchNs = 0 } = POLICIES.energy.energy ?? {};
  const longer = secondsWith(1024, [], 'energy')! - secondsWith(1024, [])!;
  expect(longer).toBeCloseTo((stretches * stretchNs) / 1e9, 5);
  expect(longer).toBeGreaterThan(0);
});
