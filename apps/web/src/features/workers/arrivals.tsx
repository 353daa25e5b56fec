'use client';

import { pageOf, type Worker, workerSchema } from '@tilemark/core';
import { useRouter } from 'next/navigation';
import { useEffect, useState } from 'react';
import { deviceHref } from '@/features/devices/device-name';
import { TextLink } from '@/ui/button';

const POLL_MS = 2_000;
/** `npx` gets some ten MB first; after this long something is likely in the way. */
const LONG_MS = 60_000;

const workersSchema = pageOf(workerSchema);

/** The workers of the grid; null while it does not answer. */
async function attached(signal: AbortSignal): Promise<readonly Worker[] | null> {
  try {
    const response = await fetch('/api/v1/workers', { cache: 'no-cache', signal });
    return response.ok ? workersSchema.parse(await response.json()).items : null;
  } catch {
    return null;
  }
}

/** Waits for workers that were not there when it was first shown, and says that they are. */
export function Arrivals() {
  const router = useRouter();
  const [arrived, setArrived] = useState<readonly Worker[]>([]);
  const [isLong, setLong] = useState(false);

  useEffect(() => {
    const abort = new AbortController();
    let known: ReadonlySet<string> | null = null;
    let shown = 0;
    const look = async () => {
      const workers = await attached(abort.signal);
      if (!workers || abort.signal.aborted) return;
      const before = known ?? new Set(workers.map(({ id }) => id));
      known = before;
      const fresh = workers.filter(({ id }) => !before.has(id));
      setArrived(fresh);
      // The table of the page shows them too.
      if (fresh.length !== shown) router.refresh();
      shown = fresh.length;
    };
    void look();
    const timer = setInterval(() => void look(), POLL_MS);
    const long = setTimeout(() => setLong(true), LONG_MS);
    return () => {
      abort.abort();
      clearInterval(timer);
      clearTimeout(long);
    };
  }, [router]);

  if (arrived.length === 0) {
    return (
      <div role="status" className="space-y-1 text-[0.8125rem]">
        <p className="flex items-center gap-2">
          <span aria-hidden="true" className="pulse size-2 rounded-full bg-amber" />
          Waiting for the machine…
        </p>
        {isLong && (
          <p className="text-muted">
            Nothing yet. The command says in its terminal what is in the way: Node that is too old,
            a GPU without a driver, an address that the machine does not reach.
          </p>
        )}
      </div>
    );
  }
  return (
    <ul role="status" className="space-y-1 text-[0.8125rem]">
      {arrived.map(({ id, name, device, state }) => (
        <li key={id} className="flex items-baseline gap-2">
          <span aria-hidden="true" className="size-2 rounded-full bg-accent" />
          <span>
            Here it is: <strong className="font-medium">{name}</strong>, {state}. Its results gather
            on <TextLink href={deviceHref(device.key)}>the page of its device</TextLink>.
          </span>
        </li>
      ))}
    </ul>
  );
}
