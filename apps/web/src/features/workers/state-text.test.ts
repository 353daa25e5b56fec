import { expect, it } from 'vitest';
import { stateText } from './state-text';

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
