import { expect, test } from 'vitest';
import { measured } from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { resultBars, sweepBars } from './card-bars';

const run = (address: string, policy: 'screen' | 'default', rate: number) => ({
  ...{ address, policy },
  figures: { rate } as never,
});

test('a sweep has a bar per variant: by its full measurement, where it was screened too', () => {
  const bars = sweepBars([
    run('matmul/tiled[TILE=8]', 'screen', 90),
    run('matmul/tiled[TILE=8]', 'default', 70),
    run('matmul/naive[BLOCK=8]', 'screen', 80),
  ]);
  expect(bars.map(({ rate, isSubject }) => [rate, isSubject])).toEqual([
    [70, false],
    [80, true],
  ]);
});

test('the best beside a result is called ranked only if it is', () => {
  const rate = { value: 2, unit: 'GFLOP/s' as const };
  const problem = { op: 'matmul', shape: { m: 8, n: 8, k: 8 }, dtype: 'f32' } as const;
  const of = (address: string, resultId: string, unranked: string | null) => ({
    ...{ address, resultId, rate, problem: problem as never },
    outcome: measured(1e3, { unranked }),
  });
  const result = of('matmul/naive', 'a', null);
  const labels = (best: ReturnType<typeof of>) =>
    resultBars(result, best).map(({ label }) => label);
  expect(labels(of('matmul/tiled', 'b', null))).toContain('Best ranked: matmul/tiled');
  expect(labels(of('matmul/tiled', 'b', 'by an earlier methodology'))).toContain(
    'Best, not ranked: matmul/tiled',
  );
  expect(labels(result)).toEqual(['matmul/naive']);
});
