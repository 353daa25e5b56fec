import type { ResultDetail } from '@tilemark/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { measured, run } from '@/server/results.test-helper';
import { Headline } from '../results/outcome';
import { deviceRoofs } from './roof';

const survey = {
  profile: 'default' as const,
  measuredAt: '2026-11-21T12:00:00.000Z',
  worker: { id: 'w', name: 'W' },
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

it.each([
  ['default', null],
  ['smoke', null],
  ['default', { ns: 50, bound: 'compute' }],
  ['default', { ns: 50, bound: 'bandwidth' }],
] as const)(
  'gives a share of the peak for policy %s and roof %j only where the roof is known',
  (policy, roof) => {
    const result = run({ policy, outcome: measured(100, { roof }) }) as ResultDetail;
    const text = renderToStaticMarkup(Headline({ result })).replaceAll(/<[^>]*>/g, ' ');
    expect(text.includes('not known')).toBe(roof === null);
    expect(text.includes('50%')).toBe(roof !== null);
  },
);

it('finds one peak in results of all kernels and of halves that are summed either way', () => {
  const roof = { ns: 1000, bound: 'compute' } as const;
  const shape = { m: 2048, n: 2048, k: 2048 };
  const of = (kernel: string, dtype: 'f16' | 'f16acc16', ns: number) =>
    run({
      variant: { kernel, tunables: {} },
      problem: { op: 'matmul', shape, dtype },
      outcome: measured(1e6, { roof: { ...roof, ns } }),
    });
  const naive = of('matmul/naive', 'f16', 1000);
  const others = [of('matmul/strassen', 'f16', 875), of('matmul/naive', 'f16acc16', 1000)];
  expect(deviceRoofs([], [naive, ...others])).toEqual(deviceRoofs([], [naive]));
});
