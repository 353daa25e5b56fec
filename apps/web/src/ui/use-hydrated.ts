'use client';

import { useSyncExternalStore } from 'react';

const never = () => () => {};

/** Whether React has hydrated the page; false on the server. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
