'use client';

import dynamic from 'next/dynamic';

/** Loaded on its own page only: the editor weighs as much as the rest of the site's script. */
export const LazyTryKernel = dynamic(() => import('./try-kernel').then((all) => all.TryKernel), {
  ssr: false,
  loading: () => <p className="text-muted">Opening the editor…</p>,
});
