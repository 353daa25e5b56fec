'use client';

/** Sweeps: progress, results and charts while one runs and after. new/ is the form that submits one. */
import type { Sweep } from '@tilemark/core';
import { Action } from '@/ui/action';
import { ButtonAnchor, ButtonLink } from '@/ui/button';

/** What can be done with a sweep; `mayChange` for its owner and admins. */
export function SweepActions({
  id,
  status,
  hasRetriable,
  mayChange,
  again,
}: {
  id: string;
  status: Sweep['status'];
  /** Whether a run failed that may end otherwise. */
  hasRetriable: boolean;
  mayChange: boolean;
  /** Where another like it is started, and what that is called; null: nowhere. */
  again: readonly [href: string, text: string] | null;
}) {
  const base = `/api/v1/sweeps/${encodeURIComponent(id)}`;

  return (
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
      {again && <ButtonLink href={again[0]}>{again[1]}</ButtonLink>}
      <ButtonAnchor href={`${base}/results?format=csv`} download>
        Export CSV
      </ButtonAnchor>
      <ButtonAnchor href={`${base}/results?format=json&all=1`} download>
        Export JSON
      </ButtonAnchor>
    </div>
  );
}
