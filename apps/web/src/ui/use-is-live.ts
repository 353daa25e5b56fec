import { useSyncExternalStore } from 'react';

const never = () => () => {};

/** Whether the page's script has come: false on the server and in the first render here. */
export function useIsLive(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
