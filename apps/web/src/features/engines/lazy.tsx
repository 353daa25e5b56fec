'use client';

import dynamic from 'next/dynamic';

/** naga and what reads WGSL are loaded where somebody asks. */
export const LazyEngines = dynamic(() => import('./engines').then((all) => all.Engines), {
  ssr: false,
});
