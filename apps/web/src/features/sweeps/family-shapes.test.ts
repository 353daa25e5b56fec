import type { FamilyTuning } from '@tilemark/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { FamilyFacts, stateText } from './family-shapes';

test('a shape whose search was cut short was searched in part', () => {
  expect(stateText({ state: 'missed', tried: 0, why: null })).toBe('not searched');
  expect(stateText({ state: 'missed', tried: 84, why: null })).toBe('not finished');
  expect(stateText({ state: 'skipped', tried: 0, why: 'too large' })).toBe('skipped: too large');
});

test('counts as tried what its shapes do: also what ran when the time was over', () => {
  const tuning: FamilyTuning = {
    ...{ suite: 'transpose-shapes', dtype: 'f32', profile: 'default', seed: 1 },
    ...{ budgetSeconds: 120, usedSeconds: 121, leftSeconds: 0, skipped: [], phase: 'done' },
    device: { key: 'one', name: 'One', class: 'gpu' },
    tried: 65,
    shapes: { total: 40, done: 0, running: [] },
    decision: { stop: 'budget', searched: 0, screened: 43, duels: 0 },
  };
  const text = renderToStaticMarkup(FamilyFacts({ tuning, isOver: true })).replace(/<[^>]*>/g, ' ');
  expect(text).toMatch(/Candidates tried\s+65/);
});
