import type { FamilyTuning, Sweep } from '@tilemark/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { FamilyFacts, inOrder, leftText, stateText } from './family-shapes';
import { statusText } from './progress';
import { BudgetBar } from './tuning';

test('a shape whose search was cut short was searched in part', () => {
  expect(stateText({ state: 'missed', tried: 0, why: null })).toBe('not searched');
  expect(stateText({ state: 'missed', tried: 84, why: null })).toBe('not finished');
  expect(stateText({ state: 'skipped', tried: 0, why: 'too large' })).toBe('skipped: too large');
});

test('lists first what was searched, and last what was not', () => {
  const at = (state: 'missed' | 'done', tried: number) => ({ state, tried });
  const shapes = [at('missed', 0), at('missed', 8), at('done', 9)];
  expect(inOrder(shapes)).toEqual([at('done', 9), at('missed', 8), at('missed', 0)]);
  expect(factsText({}, 'done')).toMatch(/Shapes searched\s+0 of 40 shapes, 4 not finished/);
});

test('is called ended by its budget where time cut it short, done where every shape was searched', () => {
  const counts = { total: 4, pending: 0, measured: 4, skipped: 0, incorrect: 0, failed: 0 };
  const textOf = (stop: 'budget' | 'exhausted') =>
    statusText('done', counts, { ...tuning, decision: { ...tuning.decision!, stop } });
  expect(textOf('budget')).toBe('ended by its budget');
  expect(textOf('exhausted')).toBe('done');
});

test('counts as tried what its shapes do: also what ran when the time was over', () => {
  const text = factsText({}, 'done');
  expect(text).toMatch(/Variants tried\s+65/);
});

test('gives no reason for the time beyond its budget, which earlier releases used for whole shapes', () => {
  expect(factsText({ usedSeconds: 700 }, 'done')).toMatch(
    /Time used, without waiting\s+12\s+min, beyond the 2\s+min asked for/,
  );
});

test('a search that ended without a winner says so', () => {
  expect(factsText({}, 'done')).toMatch(/Winners\s+none: no shape was searched to its end/);
  expect(factsText({ shapes: { ...tuning.shapes, done: 1 } }, 'done')).not.toContain('Winners');
  expect(factsText({ decision: null }, 'running')).not.toContain('Winners');
});

test('the bar of a search that its time cut short is not that of one that is done', () => {
  const barOf = (stop: 'budget' | 'exhausted') =>
    renderToStaticMarkup(
      BudgetBar({
        tuning: { ...tuning, decision: { ...tuning.decision!, stop } },
        label: 'Time used',
      }),
    );
  expect(barOf('budget')).not.toContain('bg-accent');
  expect(barOf('exhausted')).toContain('bg-accent');
});

test('names the shape that is searched only while something runs', () => {
  const under = { shapes: { total: 40, done: 0, running: ['1x4096x4096'] }, decision: null };
  expect(factsText(under, 'running')).toMatch(/Now\s+1 × 4096 × 4096/);
  expect(factsText(under, 'queued')).toMatch(/Now\s+waiting for the device/);
});

test('bounds the time left by the time asked for until the first shape is done', () => {
  const of = { budgetSeconds: 120, usedSeconds: 60 };
  expect(leftText({ ...of, leftSeconds: null })).toMatch(/^at most 60\s+s$/);
  expect(leftText({ ...of, leftSeconds: 30 })).toMatch(/^about 30\s+s$/);
});

const tuning: FamilyTuning = {
  suite: 'transpose-shapes',
  dtype: 'f32',
  profile: 'default',
  seed: 1,
  budgetSeconds: 120,
  usedSeconds: 121,
  leftSeconds: 0,
  skipped: [],
  phase: 'done',
  device: { key: 'one', name: 'One', class: 'gpu' },
  tried: 65,
  shapes: { total: 40, done: 0, running: [] },
  decision: { stop: 'budget', searched: 0, screened: 43, duels: 0 },
};

function factsText(over: Partial<FamilyTuning>, status: Sweep['status']): string {
  const facts = FamilyFacts({
    tuning: { ...tuning, ...over },
    status,
    begun: 4,
    isOver: status === 'done',
  });
  return renderToStaticMarkup(facts).replace(/<[^>]*>/g, ' ');
}
