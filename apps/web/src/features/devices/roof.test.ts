import { expect, it } from 'vitest';
import { measured, run } from '@/server/results.test-helper';
import { deviceRoofs } from './roof';

const survey = {
  profile: 'default' as const,
  measuredAt: '2026-11-21T12:00:00.000Z',
  worker: { id: 'w', name: 'W' },
  lastLevelCacheBytes: null,
  copies: [
    { bytes: 1 << 20, gigabytesPerSecond: 900 },
    { bytes: 1 << 29, gigabytesPerSecond: 400 },
  ],
  peaks: [{ dtype: 'f32' as const, gigaflopsPerSecond: 5_000 }],
};

it('takes the survey of a profile and leaves its results aside', () => {
  const result = run({ outcome: measured(100, { roof: { ns: 1, bound: 'compute' } }) });
  expect(deviceRoofs([survey], [result])).toEqual([
    { profile: 'default', peaks: survey.peaks, gigabytesPerSecond: 900, from: 'survey' },
  ]);
});

it('reads the roof that results were held against where nothing was surveyed', () => {
  const n = 64;
  const matmul = (ns: number) =>
    run({
      problem: { op: 'matmul', shape: { m: n, n, k: n }, dtype: 'f32' },
      outcome: measured(1e6, { roof: { ns, bound: 'compute' } }),
    });
  const transpose = run({
    problem: { op: 'transpose', shape: { rows: 100, cols: 10 }, dtype: 'f32' },
    outcome: measured(1e6, { roof: { ns: 80, bound: 'bandwidth' } }),
  });
  expect(deviceRoofs([], [matmul(2048), matmul(1024), transpose])).toEqual([
    {
      profile: 'default',
      peaks: [{ dtype: 'f32', gigaflopsPerSecond: (2 * n ** 3) / 1024 }],
      gigabytesPerSecond: 100,
      from: 'results',
    },
  ]);
  expect(deviceRoofs([], [run({ outcome: measured(5) })])).toEqual([]);
});
