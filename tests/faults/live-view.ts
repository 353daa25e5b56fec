import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Counts } from './books';
import type { FaultGrid } from './grid';

interface LiveEvent {
  readonly counts: Counts;
  readonly status: string;
  readonly results: readonly { runId: string; outcome: { kind: string } }[];
}

export interface LiveView {
  /** Waits for the event that says the sweep is done, and checks what was shown on the way. */
  finished(): Promise<void>;
}

/**
 * Watches a sweep as its page does: events of the server, joined again whenever the
 * connection breaks. Of every event the sum has to be right, and nothing that had
 * ended may be taken back; the results shown have to make up the last count.
 */
export function watchLive(grid: FaultGrid, sweepId: string): LiveView {
  const stop = new AbortController();
  const events: LiveEvent[] = [];
  const isDone = () => events.at(-1)?.status === 'done';

  const listen = async () => {
    const response = await grid.fetch(`/api/v1/sweeps/${sweepId}/events`, { signal: stop.signal });
    if (!response.ok || !response.body) throw new Error(`${response.status}`);
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body) {
      text += decoder.decode(chunk, { stream: true });
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        if (line.startsWith('data: ')) events.push(JSON.parse(line.slice(6)));
      }
    }
  };
  const watching = (async () => {
    while (!isDone() && !stop.signal.aborted) {
      await listen().catch(() => undefined);
      if (!isDone()) await sleep(500);
    }
  })();

  return {
    async finished() {
      const late = sleep(60_000, 'late', { ref: false });
      const ended = await Promise.race([watching, late]);
      stop.abort();
      expect(ended, 'the page was told that the sweep is done').not.toBe('late');
      const seen = new Map<string, string>();
      let before = 0;
      for (const { counts, results } of events) {
        const { total, pending, ...kinds } = counts;
        const over = Object.values(kinds).reduce((sum, kind) => sum + kind, 0);
        expect(over + pending).toBe(total);
        expect(over).toBeGreaterThanOrEqual(before);
        before = over;
        for (const { runId, outcome } of results) {
          expect(seen.get(runId) ?? outcome.kind).toBe(outcome.kind);
          seen.set(runId, outcome.kind);
        }
        // Beyond a hundred the page fetches the list; sweeps here are smaller.
        expect(seen.size).toBe(over);
      }
    },
  };
}
