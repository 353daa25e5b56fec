import { expect, test } from 'vitest';
import { waitingText } from './waiting';

const next = { runs: 3, isRunning: false, ahead: 0, isServed: true, etaMs: 40_000 };

test.each([
  [next, '3 runs to come, next in the queue, done in about 40\u202fs'],
  [{ ...next, ahead: 1, etaMs: null }, '3 runs to come, behind 1 other run'],
  [{ ...next, isServed: false }, '3 runs to come; no worker takes them now'],
  [{ ...next, isRunning: true, etaMs: null }, '3 runs left, one running now'],
  [{ ...next, runs: 1, isRunning: true, etaMs: null }, '1 run left, running now'],
])('%o: %s', (waiting, text) => {
  expect(waitingText(waiting)).toBe(text);
});
