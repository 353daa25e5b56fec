'use client';

import { refreshedSchema } from '@tilemark/core';
import { useRouter } from 'next/navigation';
import { useState, useTransition } from 'react';
import { Button } from '@/ui/button';
import { plural } from '@/ui/format';
import { ask } from '@/ui/request';

/** Queues the stale runs again that a worker could run now; for admins. */
export function RefreshStale({
  stale,
  waiting,
}: {
  stale: number;
  /** Stale runs of devices that no worker serves now. */
  waiting: number;
}) {
  const router = useRouter();
  const [isPending, startTransition] = useTransition();
  const [said, setSaid] = useState<string | null>(null);

  const refresh = () =>
    startTransition(async () => {
      setSaid(await refreshed());
      router.refresh();
    });

  return (
    <>
      <Button onClick={refresh} disabled={isPending || stale === 0}>
        {stale > 0
          ? `Refresh ${plural(stale, 'stale run')}`
          : waiting > 0
            ? 'Nothing to refresh now'
            : 'Nothing is stale'}
      </Button>
      {/* Without a text it takes no room beside the button. */}
      <span role="status" className="text-xs text-muted empty:absolute">
        {said}
      </span>
    </>
  );
}

/** What was queued, or why nothing was. */
async function refreshed(): Promise<string> {
  const body = JSON.stringify({ device: null, suite: null });
  const answer = await ask('/api/v1/coverage/refresh', { body, answer: refreshedSchema });
  if (!answer.ok) return answer.message;
  const { runs, sweeps } = answer.value;
  return `Queued ${plural(runs, 'run')} in ${plural(sweeps.length, 'sweep')}`;
}
