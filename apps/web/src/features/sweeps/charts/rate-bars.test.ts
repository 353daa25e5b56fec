import { expect, test } from 'vitest';
import { measuredRun } from '../../../server/results.test-helper';
import { barsOf, bestOf } from './rate-bars';

const run = (kernel: string, reason: string | null) => ({
  variant: { kernel, tunables: {} },
  reason,
});
const ceiling = run('transpose/copy', null);
const noisy = run('transpose/tiled', 'noisy');
const ranked = run('transpose/naive', null);

test('the best bar is the fastest ranked one, never a ceiling', () => {
  expect(bestOf([ceiling, noisy, ranked, run('transpose/tiled', null)])).toBe(ranked);
});

test('where nothing is ranked, the fastest is the best', () => {
  expect(bestOf([ceiling, noisy, run('transpose/naive', 'noisy')])).toBe(noisy);
  expect(bestOf([ceiling])).toBeUndefined();
});

test('bars have the names of the report before what tells variants apart, and what they are of', () => {
  const [slow, fast] = [8, 16].map((TILE) =>
    measuredRun(TILE === 8 ? 400 : 100, {
      variant: { kernel: 'matmul/tiled', tunables: { TILE } },
    }),
  );
  const runs = [slow!, fast!];
  const names = new Map(runs.map(({ address }) => [address, 'CC']));
  const rates = barsOf(runs, names, null);
  expect(rates.map(({ label }) => label)).toEqual(['CC · TILE=16', 'CC · TILE=8']);
  expect(rates[0]?.rate).toBe(fast?.figures.rate);
  const host = new Map(
    runs.map(({ runId }, index) => [runId, { ratio: 2 - index, withTransfers: null }]),
  );
  const over = barsOf(runs, new Map(), host);
  expect(over.map(({ label, rate }) => [label, rate])).toEqual([
    ['tiled · TILE=8', 2],
    ['tiled · TILE=16', 1],
  ]);
  expect(over[0]?.low).toBeCloseTo((2 * slow!.figures.medianNs) / slow!.figures.highNs);
});
