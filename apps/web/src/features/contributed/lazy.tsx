'use client';

import dynamic from 'next/dynamic';

/** Loaded on its own page only: the editor weighs as much as the rest of the site's script. */
export const LazyTryKernel = dynamic(() => import('./try-kernel').then((all) => all.TryKernel), {
  ssr: false,
  loading: () => <p className="min-h-[48rem] text-muted">Opening the editor…</p>,
});
