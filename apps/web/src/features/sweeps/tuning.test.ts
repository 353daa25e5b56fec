import type { Tuning } from '@tilemark/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { statusText } from './progress';
import { againOf, BudgetBar, TuningFacts } from './tuning';

const winner = 'matmul/tiled[TILE=16]';
const varied = new Map([['matmul/tiled', new Set(['TILE'])]]);
const common = { profile: 'default', seed: 1, budgetSeconds: 60, tried: 15 } as const;
const problem: Tuning = {
  ...common,
  problem: { op: 'matmul', shape: { m: 64, n: 64, k: 64 }, dtype: 'f32' },
  usedSeconds: 72,
  decision: { winner, stop: 'budget', shapes: null },
};
const family: Tuning = {
  ...common,
  suite: 'odd-shapes',
  dtype: 'f32',
  usedSeconds: 30,
  decision: null,
};

const textOf = (markup: Parameters<typeof renderToStaticMarkup>[0]) =>
  renderToStaticMarkup(markup)
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');
const factsOf = (tuning: Tuning) => textOf(TuningFacts({ tuning, runs: [], device: 'a', varied }));

test('a decided search names its winner by the tunables that vary, and what it tried', () => {
  const text = factsOf(problem).replaceAll(' ', '');
  expect(text).toContain('Winnermatmul/tiled[TILE=16]');
  expect(text).toContain('Variantstried15');
  expect(factsOf(problem)).toMatch(/beyond the 60\ss asked for: full runs come last/);
  const none = {
    ...problem,
    decision: { winner: null, stop: 'exhausted', shapes: null },
  } as Tuning;
  expect(factsOf(none)).toContain('nothing that was measured is plausible');
});

test('the search of a family has a winner per shape, and says how many it came to', () => {
  expect(factsOf(family)).not.toMatch(/Winner|Shapes searched/);
  const decided: Tuning = { ...family, decision: { winner: null, stop: 'budget', shapes: 12 } };
  expect(factsOf(decided)).toMatch(/Shapes searched 12/);
  expect(factsOf(decided)).not.toContain('Winner');
  const bar = renderToStaticMarkup(BudgetBar({ tuning: family, label: 'x' }));
  expect(bar).toMatch(/30\ss of 60\ss/);
});

test('what ended for its time, with shapes left, is not called done', () => {
  const counts = { total: 9, pending: 0, measured: 9, skipped: 0, incorrect: 0, failed: 0 };
  const of = (stop: 'budget' | 'exhausted') =>
    statusText('done', counts, { ...family, decision: { winner: null, stop, shapes: 12 } });
  expect([of('budget'), of('exhausted')]).toEqual(['ended by its budget', 'done']);
  expect(statusText('done', counts, problem)).toBe('done');
});

test('a sweep is copied, and a search of ours started from its device', () => {
  expect(againOf('s', null, null)?.[0]).toBe('/sweeps/new?sweep=s');
  expect(againOf('s', problem, 'a')?.[0]).toBe('/devices/a#tune');
  expect(againOf('s', { ...problem, kernel: 'ada/mine@1' } as Tuning, 'a')).toBeNull();
});
