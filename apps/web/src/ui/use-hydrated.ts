import { useSyncExternalStore } from 'react';

const never = () => () => {};

/** Whether React has taken over the page: false on the server, and here until it is hydrated. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
