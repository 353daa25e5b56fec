'use client';

/** Sweeps: progress, results and charts while one runs and after. new/ is the form that submits one. */
import type { Counts, NewSweep, Sweep } from '@tilemark/core';
import { useRouter } from 'next/navigation';
import { useState, useTransition } from 'react';
import { Button, ButtonAnchor, ButtonLink } from '@/ui/button';
import { Failure } from '@/ui/notice';
import { ask } from '@/ui/request';
import { hasEnded } from './progress';
import { SubmitButton } from './submit-button';

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
  const router = useRouter();
  const [isPending, startTransition] = useTransition();
  const [problem, setProblem] = useState<string | null>(null);
  const base = `/api/v1/sweeps/${encodeURIComponent(id)}`;

  const post = (verb: 'cancel' | 'retry') =>
    startTransition(async () => {
      const answer = await ask(`${base}/${verb}`);
      setProblem(answer.ok ? null : answer.message);
      router.refresh();
    });

  return (
    <div className="space-y-2">
      <div className="flex flex-wrap items-center gap-2">
        {mayChange && status !== 'done' && status !== 'cancelled' && (
          <Button onClick={() => post('cancel')} disabled={isPending}>
            Cancel sweep
          </Button>
        )}
        {mayChange && hasRetriable && status !== 'cancelled' && (
          <Button onClick={() => post('retry')} disabled={isPending}>
            Retry failed
          </Button>
        )}
        {again && hasEnded(status, counts) && <SubmitButton sweep={again}>Run again</SubmitButton>}
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
      <Failure why={problem} />
    </div>
  );
}
