import type { Worker } from '@tilemark/core';

/** What a worker does, or is about to do: it follows an admin at its next heartbeat. */
export function stateText({ state, wanted }: Pick<Worker, 'state' | 'wanted'>): string {
  if (state === 'lost') return state;
  if (wanted === 'working') return state === 'paused' ? 'resuming…' : state;
  if (wanted === 'paused') return state === 'paused' ? 'paused' : 'pausing…';
  return state === 'paused' ? 'drained' : 'draining…';
}
