'use client';

import {
  type Counts,
  type RunShown,
  runShown,
  type Sweep,
  sweepEventSchema,
  type Tuning,
} from '@tilemark/core';
import { useEffect, useRef, useState } from 'react';
import { hasEnded } from './progress';

interface SweepState {
  readonly counts: Counts;
  readonly status: Sweep['status'];
  readonly runs: readonly RunShown[];
  /** Null: all of its runs were made with it. */
  readonly tuning: Tuning | null;
  readonly connection: 'live' | 'lost' | 'ended';
}

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
  const [rendered, setRendered] = useState(initial.runs);
  // A refreshed page brings the truth: it replaces what events had pieced together.
  if (initial.runs !== rendered) {
    setRendered(initial.runs);
    setState({ ...initial, isLost: false });
  }
  const isOver = hasEnded(state.status, state.counts);
  const wasQueued = useRef(initial.status === 'queued');

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
      const event = sweepEventSchema.parse(JSON.parse(data));
      const { counts, results, running, status, tuning = null } = event;
      const changed = new Map(results.map((result) => [result.runId, runShown(result)]));
      // What kept it waiting, as the page was rendered, no longer does.
      if (wasQueued.current && status === 'running') onGap();
      wasQueued.current = status === 'queued';
      setState((state) => ({
        counts,
        status,
        tuning,
        isLost: false,
        runs: [...state.runs, ...(tuning ? unknownTo(state.runs, changed) : [])].map((before) => {
          const run = changed.get(before.runId) ?? before;
          if (run.kind !== 'pending' && run.kind !== 'running') return run;
          const kind = running.includes(run.runId) ? 'running' : 'pending';
          return kind === run.kind ? run : { ...run, kind };
        }),
      }));
    };
    return () => source.close();
  }, [id, isOver, onGap]);

  const connection = isOver ? 'ended' : state.isLost ? 'lost' : 'live';
  const { counts, runs, status, tuning } = state;
  return { counts, runs, status, tuning, connection };
}

/** Runs that were added to a sweep after its page was rendered. */
function unknownTo(
  runs: readonly RunShown[],
  changed: ReadonlyMap<string, RunShown>,
): readonly RunShown[] {
  const ids = new Set(runs.map(({ runId }) => runId));
  return [...changed.values()].filter(({ runId }) => !ids.has(runId));
}
