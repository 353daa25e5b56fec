import { expect, it } from 'vitest';
import { etaText, stateText } from './workers-table';

it.each([
  [undefined, '–'],
  [{ waiting: 0, serving: 1, etaMs: 0 }, '–'],
  [{ waiting: 3, serving: 0, etaMs: null }, 'no worker'],
  [{ waiting: 3, serving: 1, etaMs: null }, 'unknown'],
  [{ waiting: 3, serving: 1, etaMs: 59_000 }, '< 1\u202fmin'],
  [{ waiting: 3, serving: 1, etaMs: 3_600_000 }, '1\u202fh'],
])('%j is %s', (queue, text) => {
  expect(etaText(queue)).toBe(text);
});

it.each([
  ['idle', 'working', 'idle'],
  ['running', 'working', 'running'],
  // A process that was told to end, by whoever looks after its machine.
  ['draining', 'working', 'draining'],
  ['paused', 'working', 'resuming…'],
  ['running', 'paused', 'pausing…'],
  ['draining', 'paused', 'pausing…'],
  ['paused', 'paused', 'paused'],
  ['idle', 'drained', 'draining…'],
  ['draining', 'drained', 'draining…'],
  ['paused', 'drained', 'drained'],
  ['lost', 'paused', 'lost'],
] as const)('%s, and an admin wants it %s: %s', (state, wanted, text) => {
  expect(stateText({ state, wanted })).toBe(text);
});
