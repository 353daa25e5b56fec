import { expect, test } from 'vitest';
import { stateText } from './family-shapes';

test('a shape whose search was cut short was searched in part', () => {
  expect(stateText({ state: 'missed', tried: 0, why: null })).toBe('not searched');
  expect(stateText({ state: 'missed', tried: 84, why: null })).toBe('not finished');
  expect(stateText({ state: 'skipped', tried: 0, why: 'too large' })).toBe('skipped: too large');
});
