'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useState } from 'react';

const POLL_MS = 5_000;

/**
 * Keeps a server-rendered view current: while the page is visible, polls the ETag of `source` and
 * refreshes the view when it changes. `etag` belongs to the data the view was rendered from.
 */
export function Live({ source, etag }: { source: string; etag: string }) {
  const router = useRouter();
  const [isConnected, setConnected] = useState(true);

  useEffect(() => {
    const abort = new AbortController();
    let shown = etag;
    const check = async () => {
      if (document.visibilityState === 'hidden') return;
      try {
        const response = await fetch(source, { cache: 'no-cache', signal: abort.signal });
        setConnected(response.ok);
        const current = response.headers.get('etag');
        if (response.ok && current && current !== shown) {
          shown = current;
          router.refresh();
        }
      } catch {
        if (!abort.signal.aborted) setConnected(false);
      }
    };
    const timer = setInterval(() => void check(), POLL_MS);
    return () => {
      abort.abort();
      clearInterval(timer);
    };
  }, [source, etag, router]);

  return <LiveDot state={isConnected ? 'live' : 'lost'} />;
}

const REFRESH_MS = 3_000;

/** Renders the page again every few seconds while somebody looks at it. */
export function Refresh() {
  const router = useRouter();
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') router.refresh();
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [router]);
  return null;
}

const WORDS = {
  live: 'Live',
  lost: 'Connection lost, retrying',
  ended: 'Ended',
} as const;

/** Whether the view is following the grid. */
export function LiveDot({ state }: { state: keyof typeof WORDS }) {
  const color = { live: 'bg-accent pulse', lost: 'bg-amber', ended: 'bg-line-strong' }[state];
  return (
    <span className="inline-flex items-center gap-1.5 text-xs text-muted">
      <span aria-hidden="true" className={`size-1.5 rounded-full ${color}`} />
      {WORDS[state]}
    </span>
  );
}
