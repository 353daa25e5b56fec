'use client';

import { usePathname } from 'next/navigation';
import { useSyncExternalStore } from 'react';
import { Button, ButtonLink } from '@/ui/button';

/** What is ticked, wherever: the two results or devices to compare, for as long as the tab is open. */
const KEY = 'tilemark-compare';
const NONE: readonly string[] = [];
const listeners = new Set<() => void>();
let chosen: readonly string[] | undefined;

function read(): readonly string[] {
  if (chosen) return chosen;
  const kept = sessionStorage.getItem(KEY);
  chosen = kept ? kept.split(' ') : NONE;
  return chosen;
}

function choose(ids: readonly string[]): void {
  chosen = ids;
  sessionStorage.setItem(KEY, ids.join(' '));
  for (const changed of listeners) changed();
}

const subscribe = (changed: () => void) => {
  listeners.add(changed);
  return () => void listeners.delete(changed);
};

const useChosen = () => useSyncExternalStore(subscribe, read, () => NONE);

/** Ticks a result or a device for comparing; a third takes the place of the first. */
export function CompareTick({ id, label }: { id: string; label: string }) {
  const ids = useChosen();
  return (
    <input
      type="checkbox"
      aria-label={`Select to compare: ${label}`}
      title="Select to compare"
      checked={ids.includes(id)}
      onChange={({ target }) =>
        choose(target.checked ? [...ids, id].slice(-2) : ids.filter((ticked) => ticked !== id))
      }
      className="mr-2 size-4 shrink-0 translate-y-0.5 accent-accent"
    />
  );
}

/** At the foot of the screen while something is ticked. */
export function CompareBar() {
  const [a, b] = useChosen();
  const path = usePathname();
  if (a === undefined || path === '/compare') return null;
  return (
    <section
      aria-label="Ticked to compare"
      data-foot
      className="sticky bottom-0 z-10 border-t border-line-strong bg-surface"
    >
      <div className="mx-auto flex max-w-6xl items-center gap-3 px-4 py-2 sm:px-6">
        <p role="status" className="text-[0.8125rem]">
          {b === undefined ? 'One ticked. Tick another to compare them.' : 'Two ticked.'}
        </p>
        <div className="ml-auto flex gap-2">
          <Button look="quiet" onClick={() => choose(NONE)}>
            Clear
          </Button>
          {b !== undefined && (
            <ButtonLink look="primary" href={`/compare?${new URLSearchParams({ a, b })}`}>
              Compare 2
            </ButtonLink>
          )}
        </div>
      </div>
    </section>
  );
}
