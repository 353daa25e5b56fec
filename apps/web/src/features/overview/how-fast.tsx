'use client';

import dynamic from 'next/dynamic';
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '@/ui/button';
import { useHydrated } from '@/ui/use-hydrated';

/** Loaded once it is asked for. */
const SpeedPanel = dynamic(() => import('@/features/join/speed-panel'), { ssr: false });

/** The head of the first screen, with a button that measures the visitor's GPU; or what a link says of another. */
export function HowFast({
  version,
  actions,
  children,
}: {
  version: string;
  actions: ReactNode;
  children: ReactNode;
}) {
  /** Times that it was asked for, or the fragment of a link. */
  const [shown, setShown] = useState<number | string>(0);
  const isHydrated = useHydrated();
  useEffect(() => {
    const look = () => setShown(location.hash.startsWith('#gpu=') ? location.hash : 0);
    look();
    window.addEventListener('hashchange', look);
    return () => window.removeEventListener('hashchange', look);
  }, []);
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-3">
        {children}
        <div className="flex flex-wrap gap-2">
          <Button disabled={!isHydrated} onClick={() => setShown(Number(shown) + 1 || 1)}>
            How fast is my GPU?
          </Button>
          {actions}
        </div>
      </div>
      {shown !== 0 && <SpeedPanel key={shown} version={version} shown={shown} />}
    </>
  );
}
