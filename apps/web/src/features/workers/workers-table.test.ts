import type { Worker } from '@tilemark/core';
import { expect, it } from 'vitest';
import { nameAmong, stateText } from './workers-table';

it('tells workers of one host apart', () => {
  const device = { key: 'a', name: 'H200', class: 'gpu' } as const;
  const worker = (id: string, name: string) => ({ id, name, host: 'lab', device }) as Worker;
  const [one, two] = [worker('01a2-abcdef', 'lab: H200'), worker('01a2-123456', 'lab: H200')];
  expect(nameAmong(one, [one])).toBe('lab');
  expect(nameAmong(one, [one, two])).toBe('lab (abcdef)');
  expect(nameAmong(one, [one, worker('2', 'lab: H200 #2')])).toBe('lab');
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
