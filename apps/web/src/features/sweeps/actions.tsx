'use client';

/** Sweeps: progress, results and charts while one runs and after. new/ is the form that submits one. */
import type { Counts, NewSweep, Sweep } from '@tilemark/core';
import { Action } from '@/ui/action';
import { ButtonAnchor, ButtonLink } from '@/ui/button';
import { hasEnded } from './progress';

/** What can be done with a sweep; `mayChange` for its owner and admins. */
export function SweepActions({
  id,
  status,
  counts,
  hasRetriable,
  mayChange,
  again,
  tuned,
}: {
  id: string;
  status: Sweep['status'];
  counts: Counts;
  /** Whether a run failed that may end otherwise. */
  hasRetriable: boolean;
  mayChange: boolean;
  again: NewSweep | null;
  /** Where another tuning is started; null for other sweeps. */
  tuned: string | null;
}) {
  const base = `/api/v1/sweeps/${encodeURIComponent(id)}`;

  return (
    <div className="space-y-2">
      <div className="flex flex-wrap items-center gap-2">
        {mayChange && status !== 'done' && status !== 'cancelled' && (
          <Action url={`${base}/cancel`} label="this sweep">
            Cancel
          </Action>
        )}
        {mayChange && hasRetriable && status !== 'cancelled' && (
          <Action url={`${base}/retry`} label="runs">
            Retry failed
          </Action>
        )}
        {again && hasEnded(status, counts) && (
          <Action url="/api/v1/sweeps" body={again} opens="/sweeps" look="plain">
            Run again
          </Action>
        )}
        {tuned !== null && <ButtonLink href={tuned}>Tune again</ButtonLink>}
        <ButtonAnchor href={`${base}/results?format=csv`} download>
          Export CSV
        </ButtonAnchor>
        <details className="text-[0.8125rem]">
          <summary>More</summary>
          <div className="flex flex-wrap gap-2 pt-1">
            {tuned === null && (
              <ButtonLink href={`/sweeps/new?sweep=${encodeURIComponent(id)}`}>
                Edit a copy
              </ButtonLink>
            )}
            <ButtonAnchor href={`${base}/results?format=json&all=1`} download>
              Export JSON
            </ButtonAnchor>
          </div>
        </details>
      </div>
      {mayChange && counts.failed > 0 && !hasRetriable && status !== 'cancelled' && (
        <p className="max-w-prose text-xs text-muted">
          The failed runs did not compile, and would not again: there is nothing to retry.
        </p>
      )}
    </div>
  );
}
