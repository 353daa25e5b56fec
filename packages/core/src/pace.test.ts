import type { Problem } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { countRuns } from './count-runs';
import { type Pace, secondsOf } from './pace';

const matmul = (n: number): Problem => ({
  op: 'matmul',
  shape: { m: n, n, k: n },
  dtype: 'f32',
});
const pace = (shape: string, seconds: number, over: Partial<Pace> = {}): Pace => ({
  deviceKey: 'a',
  op: 'matmul',
  shape,
  policy: 'default',
  seconds,
  ...over,
});
const run = (n: number) => ({ deviceKey: 'a', problem: matmul(n), policy: 'default' as const });

it('takes the shape whose work is nearest', () => {
  const paces = [pace('64', 1), pace('1024', 9), pace('256x128x512', 3)];
  expect(secondsOf(run(60), paces)).toBe(1);
  expect(secondsOf(run(256), paces)).toBe(3);
  expect(secondsOf(run(4096), paces)).toBe(9);
});

it('knows nothing from other devices, ops and policies', () => {
  const others = [
    pace('64', 1, { deviceKey: 'b' }),
    pace('64', 1, { policy: 'smoke' }),
    pace('64x32', 1, { op: 'transpose' }),
  ];
  expect(secondsOf(run(64), others)).toBeNull();
});

it('adds up what a device has to do, and says nothing of one without past runs', () => {
  const cases = [
    {
      kernel: 'matmul/naive',
      tunables: { BLOCK: [8, 16] },
      shapes: [{ m: 64, n: 64, k: 64 }],
      dtypes: ['f32' as const],
    },
  ];
  const devices = [
    { key: 'a', class: 'gpu' as const },
    { key: 'b', class: 'gpu' as const },
    { key: 'c', class: 'cpu' as const },
  ];
  const spec = { cases, profiles: ['default' as const], policy: 'default' as const };
  expect(countRuns(spec, devices, [pace('64', 4)]).devices).toEqual([
    { key: 'a', runs: 2, skipped: [], seconds: 8 },
    { key: 'b', runs: 2, skipped: [], seconds: null },
  ]);
});
