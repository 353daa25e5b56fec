import { expect, test } from 'vitest';
import { etaText, waitingText } from './waiting';

const next = { runs: 3, isRunning: false, ahead: 0, isServed: true, startMs: 0, etaMs: 40_000 };

test.each([
  [next, '3 runs to come, next in the queue, done in about 40\u202fs'],
  [
    { ...next, ahead: 12, startMs: 20_000 },
    '3 runs to come, behind 12 other runs, starting in about 20\u202fs, done in about 40\u202fs',
  ],
  [
    { ...next, ahead: 1, startMs: null, etaMs: null },
    '3 runs to come, behind 1 other run, starting at an unknown time',
  ],
  [
    { ...next, ahead: 1, etaMs: null, startMs: 20_000 },
    '3 runs to come, behind 1 other run, starting in about 20\u202fs, done at an unknown time',
  ],
  [{ ...next, isServed: false }, '3 runs to come; no worker takes them now'],
  [{ ...next, isRunning: true }, '3 runs left, one running now, done in about 40\u202fs'],
  [
    { ...next, runs: 1, isRunning: true, etaMs: null },
    '1 run left, running now, done at an unknown time',
  ],
])('%o: %s', (waiting, text) => {
  expect(waitingText(waiting)).toBe(text);
});

test.each([
  [{ waiting: 0, serving: 1, etaMs: 0 }, '–'],
  [{ waiting: 3, serving: 0, etaMs: null }, 'no\u00a0worker'],
  [{ waiting: 3, serving: 1, etaMs: null }, 'unknown'],
  [{ waiting: 3, serving: 1, etaMs: 59_000 }, '< 1\u202fmin'],
  [{ waiting: 3, serving: 1, etaMs: 3_600_000 }, '1\u202fh'],
])('%j is %s', (queue, text) => {
  expect(etaText(queue)).toBe(text);
});
