import type { FamilyTuning, Sweep } from '@tilemark/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { FamilyFacts, leftText, stateText } from './family-shapes';

test('a shape whose search was cut short was searched in part', () => {
  expect(stateText({ state: 'missed', tried: 0, why: null })).toBe('not searched');
  expect(stateText({ state: 'missed', tried: 84, why: null })).toBe('not finished');
  expect(stateText({ state: 'skipped', tried: 0, why: 'too large' })).toBe('skipped: too large');
});

test('counts as tried what its shapes do: also what ran when the time was over', () => {
  const text = factsText({}, 'done');
  expect(text).toMatch(/Candidates tried\s+65/);
});

test('gives no reason for the time beyond its budget, which earlier releases used for whole shapes', () => {
  expect(factsText({ usedSeconds: 700 }, 'done')).toMatch(
    /Time used\s+12\s+min, beyond the 2\s+min asked for/,
  );
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
  ...{ suite: 'transpose-shapes', dtype: 'f32', profile: 'default', seed: 1 },
  ...{ budgetSeconds: 120, usedSeconds: 121, leftSeconds: 0, skipped: [], phase: 'done' },
  device: { key: 'one', name: 'One', class: 'gpu' },
  tried: 65,
  shapes: { total: 40, done: 0, running: [] },
  decision: { stop: 'budget', searched: 0, screened: 43, duels: 0 },
};

function factsText(over: Partial<FamilyTuning>, status: Sweep['status']): string {
  const facts = FamilyFacts({
    ...{ tuning: { ...tuning, ...over }, status, isOver: status === 'done' },
  });
  return renderToStaticMarkup(facts).replace(/<[^>]*>/g, ' ');
}
