'use client';

import { type Counts, headlineOf, type Sweep, sweepEventSchema } from '@tilemark/core';
import { useEffect, useState } from 'react';
import { type Row, rowOf } from './row';

export interface SweepState {
  readonly counts: Counts;
  readonly status: Sweep['status'];
  readonly rows: readonly Row[];
  readonly connection: 'live' | 'lost' | 'ended';
}

/** Whether nothing more will come of it: a run that had begun when it was cancelled still ends. */
export const hasEnded = (status: Sweep['status'], { pending }: Counts): boolean =>
  status === 'done' || (status === 'cancelled' && pending === 0);

/**
 * A sweep as its page was rendered, then as its events tell. After a lost
 * connection `onGap` is called, since what happened meanwhile is not sent again.
 */
export function useSweep(
  id: string,
  initial: Omit<SweepState, 'connection'>,
  onGap: () => void,
): SweepState {
  const [state, setState] = useState({ ...initial, isLost: false });
  const [rendered, setRendered] = useState(initial.rows);
  // A refreshed page brings the truth: it replaces what events had pieced together.
  if (initial.rows !== rendered) {
    setRendered(initial.rows);
    setState({ ...initial, isLost: false });
  }
  const isOver = hasEnded(state.status, state.counts);

  useEffect(() => {
    if (isOver) return;
    const source = new EventSource(`/api/v1/sweeps/${encodeURIComponent(id)}/events`);
    let wasLost = false;
    source.onopen = () => {
      if (wasLost) onGap();
      wasLost = false;
      setState((state) => ({ ...state, isLost: false }));
    };
    source.onerror = () => {
      wasLost = true;
      setState((state) => ({ ...state, isLost: true }));
    };
    source.onmessage = ({ data }) => {
      const { counts, results, status } = sweepEventSchema.parse(JSON.parse(data));
      const changed = new Map(results.map((result) => [result.runId, rowOf(headlineOf(result))]));
      setState((state) => ({
        counts,
        status,
        isLost: false,
        rows:
          changed.size === 0 ? state.rows : state.rows.map((row) => changed.get(row.runId) ?? row),
      }));
    };
    return () => source.close();
  }, [id, isOver, onGap]);

  const connection = isOver ? 'ended' : state.isLost ? 'lost' : 'live';
  return { counts: state.counts, status: state.status, rows: state.rows, connection };
}
