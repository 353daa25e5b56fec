'use client';

import { useSearchParams } from 'next/navigation';
import { useCallback } from 'react';

/**
 * The query string as state of a view: what is chosen can be linked. Setting
 * replaces the address without asking the server; null takes a name out.
 */
export function useQuery(): readonly [
  query: Pick<URLSearchParams, 'get'>,
  set: (values: Readonly<Record<string, string | null>>) => void,
] {
  const query = useSearchParams();
  const set = useCallback((values: Readonly<Record<string, string | null>>) => {
    const next = new URLSearchParams(window.location.search);
    for (const [name, value] of Object.entries(values)) {
      if (value === null) next.delete(name);
      else next.set(name, value);
    }
    const text = next.toString();
    window.history.replaceState(null, '', text ? `?${text}` : window.location.pathname);
  }, []);
  return [query, set];
}
