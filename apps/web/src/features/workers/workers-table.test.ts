import type { Worker } from '@tilemark/core';
import { expect, it } from 'vitest';
import { etaText, nameAmong, stateText } from './workers-table';

it('tells workers of one host apart', () => {
  const device = { key: 'a', name: 'H200', class: 'gpu' } as const;
  const worker = (id: string, name: string) => ({ id, name, host: 'lab', device }) as Worker;
  const [one, two] = [worker('01a2-abcdef', 'lab: H200'), worker('01a2-123456', 'lab: H200')];
  expect(nameAmong(one, [one])).toBe('lab');
  expect(nameAmong(one, [one, two])).toBe('lab (abcdef)');
  expect(nameAmong(one, [one, worker('2', 'lab: H200 #2')])).toBe('lab');
});

it.each([
  [undefined, '–'],
  [{ waiting: 0, serving: 1, etaMs: 0 }, '–'],
  [{ waiting: 3, serving: 0, etaMs: null }, 'no\u00a0worker'],
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
