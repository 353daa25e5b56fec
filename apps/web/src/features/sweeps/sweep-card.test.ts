import { expect, test } from 'vitest';
import { sweepBars, sweepCard } from './sweep-card';

const run = (address: string, policy: 'screen' | 'default', rate: number) => ({
  ...{ address, policy, variant: { kernel: address.replace(/\[.*/, '') } as never },
  figures: { rate } as never,
});

test('the ceiling is no variant of a sweep’s picture', () => {
  const bars = sweepBars([
    run('transpose/copy[TILE=16]', 'default', 90),
    run('transpose/tiled[TILE=16]', 'default', 80),
  ]);
  expect(bars).toMatchObject([{ label: 'transpose/tiled', isSubject: true }]);
});

test('a sweep has a bar per variant: those measured in full first, then those screened', () => {
  const bars = sweepBars([
    run('matmul/tiled[TILE=8]', 'screen', 90),
    run('matmul/tiled[TILE=8]', 'default', 70),
    run('matmul/naive[BLOCK=8]', 'screen', 80),
  ]);
  expect(bars.map(({ rate, isSubject, note }) => [rate, isSubject, note])).toEqual([
    [70, true, undefined],
    [80, false, 'screened, not ranked'],
  ]);
});

const problem = { op: 'matmul', shape: { m: 128, n: 128, k: 128 }, dtype: 'f32' } as const;
const unknown = { key: 'a', name: 'Laptop', class: 'gpu' } as const;

test('a sweep says how all of its runs ended, and which of them are shown', () => {
  const counts = { total: 5, pending: 0, measured: 4, skipped: 0, incorrect: 1, failed: 0 };
  const of = (address: string, dtype: 'f32' | 'f16') => ({
    ...{ ...run(address, 'default', 2), device: unknown, profile: 'default' },
    problem: { ...problem, dtype },
  });
  const runs = [of('matmul/tiled', 'f32'), of('matmul/naive', 'f32'), of('matmul/tiled', 'f16')];
  const about = (isImported: boolean) =>
    sweepCard({ name: 'Mine', isImported, counts }, runs as never);
  expect(about(false)).toMatchObject({
    about:
      '5 runs: 4 measured, 1 incorrect. Shown: the fastest variants on matmul 128 f32, default, Laptop',
    groups: [{ bars: [{ label: 'matmul/tiled' }, { label: 'matmul/naive' }] }],
  });
  expect(about(true).about).toMatch(/^5 runs, measured elsewhere and imported: 4 measured, /);
});
