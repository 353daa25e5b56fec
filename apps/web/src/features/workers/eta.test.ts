import { expect, it } from 'vitest';
import { etaText } from './eta';

it.each([
  [undefined, '–'],
  [{ waiting: 0, serving: 1, etaMs: 0 }, '–'],
  [{ waiting: 3, serving: 0, etaMs: null }, 'no worker'],
  [{ waiting: 3, serving: 1, etaMs: null }, 'not known'],
  [{ waiting: 3, serving: 1, etaMs: 59_000 }, '< 1\u202fmin'],
  [{ waiting: 3, serving: 1, etaMs: 3_600_000 }, '1\u202fh'],
])('%j is %s', (queue, text) => {
  expect(etaText(queue)).toBe(text);
});
