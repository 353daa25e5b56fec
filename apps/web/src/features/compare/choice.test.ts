import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { measured, run } from '../../server/results.test-helper';
import { PairForm, ResultSelect } from './choice';

const GFLOPS = { rate: { value: 1, unit: 'GFLOP/s' } } as const;

test('marks choices that are not ranked, and those that were imported', () => {
  const choices = [
    run({ ...GFLOPS, outcome: measured(100) }),
    run({ ...GFLOPS, outcome: measured(100, { unranked: 'too quick to rank' }) }),
    run({ ...GFLOPS, outcome: measured(100), imported: { by: 'A', at: '2026-11-25T00:00:00Z' } }),
  ];
  const html = renderToStaticMarkup(
    ResultSelect({ id: 'a', name: 'a', value: undefined, chosen: null, choices }),
  );
  const ends = [...html.matchAll(/GFLOP\/s([^<]*)<\/option>/g)].map(([, end]) => end);
  expect(ends).toEqual(['', ', not ranked', ', imported']);
});

test('what cannot be compared is refused at the second field', () => {
  const error = 'A and B are the same result: choose two different ones.';
  const control = (side: 'a' | 'b', id: string) =>
    ResultSelect({
      id,
      name: side,
      value: undefined,
      chosen: null,
      choices: [],
      error: side === 'b' ? error : undefined,
    });
  const html = renderToStaticMarkup(PairForm({ of: 'Result', control, error }));
  expect(html.match(/aria-invalid="true"[^>]*aria-describedby="([^"]*)"/)?.[1]).toBe(
    'compare-b-error',
  );
  expect(html.split(error)).toHaveLength(2);
});
