'use client';

import { refreshedSchema } from '@tilemark/core';
import { useRouter } from 'next/navigation';
import { useState, useTransition } from 'react';
import { Button } from '@/ui/button';
import { plural } from '@/ui/format';
import { ask } from '@/ui/request';

/** Queues the stale runs again that a worker could run now; for admins. */
export function RefreshStale({ stale }: { stale: number }) {
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
      {stale > 0 && (
        <Button onClick={refresh} disabled={isPending}>
          Refresh {plural(stale, 'stale run')}
        </Button>
      )}
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
