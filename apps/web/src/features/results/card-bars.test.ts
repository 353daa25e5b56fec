import { expect, test } from 'vitest';
import { measured } from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { boardBars, resultBars, sweepBars } from './card-bars';

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

test('a board shows what was measured here first, marks the rest, and leaves ceilings out', () => {
  const rate = { value: 2, unit: 'GB/s' as const };
  const device = { key: 'a', name: 'A', class: 'gpu' as const };
  const row = (address: string, imported: { by: string; at: string } | null) => ({
    ...{ address, device, imported, rate },
  });
  const figure = (kernel: string) => ({
    by: { kind: 'kernel' as const, kernel, address: kernel },
    ...{ hardware: 'B', rate },
  });
  const bars = boardBars(
    [row('transpose/tiled', { by: 'admin', at: '' }), row('transpose/naive', null)],
    [figure('transpose/copy'), figure('transpose/tiled')],
  );
  expect(bars.map(({ label, note }) => [label, note])).toEqual([
    ['A: transpose/naive', undefined],
    ['A: transpose/tiled', 'imported'],
    ['B: transpose/tiled', 'measured elsewhere'],
  ]);
});

test('a sweep has a bar per variant: by its full measurement, where it was screened too', () => {
  const bars = sweepBars([
    run('matmul/tiled[TILE=8]', 'screen', 90),
    run('matmul/tiled[TILE=8]', 'default', 70),
    run('matmul/naive[BLOCK=8]', 'screen', 80),
  ]);
  expect(bars.map(({ rate, isSubject }) => [rate, isSubject])).toEqual([
    [80, true],
    [70, false],
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
