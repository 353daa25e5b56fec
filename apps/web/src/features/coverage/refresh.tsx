'use client';

import { problemDetailsSchema, refreshedSchema } from '@tilemark/core';
import { useRouter } from 'next/navigation';
import { useState, useTransition } from 'react';
import { Button } from '@/ui/button';
import { formatCount } from '@/ui/format';

/** Queues the stale runs again; for admins. */
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
      <Button onClick={refresh} disabled={isPending || stale === 0}>
        {stale === 0 ? 'Nothing is stale' : `Refresh ${formatCount(stale)} stale`}
      </Button>
      <span role="status" className="text-xs text-muted">
        {said}
      </span>
    </>
  );
}

/** What was queued, or why nothing was. */
async function refreshed(): Promise<string> {
  try {
    const response = await fetch('/api/v1/coverage/refresh', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ device: null, suite: null }),
    });
    const body: unknown = await response.json();
    if (!response.ok) return problemDetailsSchema.parse(body).detail;
    const { runs, sweeps } = refreshedSchema.parse(body);
    return `${formatCount(runs)} runs queued in ${formatCount(sweeps.length)} sweeps`;
  } catch {
    return 'The server could not be reached.';
  }
}
