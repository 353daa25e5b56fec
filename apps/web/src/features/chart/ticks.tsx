'use client';

import { createContext, type ReactNode, useContext, useState } from 'react';
import { Button, ButtonLink } from '@/ui/button';
import { plural } from '@/ui/format';

/** Devices that one figure may have. */
const MOST = 8;

interface Ticked {
  readonly keys: readonly string[];
  readonly toggle: (key: string) => void;
}
const Ticks = createContext<Ticked | null>(null);

/**
 * A part of a page whose devices have ticks, and the bar that leads to their figure while one is
 * ticked. What is ticked is forgotten with the page.
 *
 * @param also the rest of the figure's address
 */
export function Ticking({ also = '', children }: { also?: string; children: ReactNode }) {
  const [keys, setKeys] = useState<readonly string[]>([]);
  const [isRefused, setRefused] = useState(false);
  const toggle = (key: string) => {
    const isTicked = keys.includes(key);
    setRefused(!isTicked && keys.length === MOST);
    if (isTicked) setKeys(keys.filter((ticked) => ticked !== key));
    else if (keys.length < MOST) setKeys([...keys, key]);
  };
  const query = [...keys.map((key) => ['device', key]), ...new URLSearchParams(also)];
  return (
    <Ticks value={{ keys, toggle }}>
      {children}
      {keys.length > 0 && (
        <section
          aria-label="Ticked"
          data-foot
          className="sticky bottom-0 z-10 flex items-center gap-3 border-t border-line-strong bg-surface px-3 py-2"
        >
          <p role="status" className="text-[0.8125rem]">
            {isRefused
              ? 'A figure has eight devices at most: untick one first.'
              : `${plural(keys.length, 'device')} ticked.`}
          </p>
          <div className="ml-auto flex gap-2">
            <Button look="quiet" onClick={() => setKeys([])}>
              Clear
            </Button>
            <ButtonLink look="primary" href={`/chart?${new URLSearchParams(query)}`}>
              Draw {keys.length}
            </ButtonLink>
          </div>
        </section>
      )}
    </Ticks>
  );
}

/** Ticks a device; nothing where rows have no ticks. */
export function Tick({
  of: { key, name },
}: {
  of: { readonly key: string; readonly name: string };
}) {
  const ticked = useContext(Ticks);
  if (!ticked) return null;
  return (
    <input
      type="checkbox"
      aria-label={`Select to draw: ${name}`}
      title="Select to draw"
      checked={ticked.keys.includes(key)}
      onChange={() => ticked.toggle(key)}
      className="mr-2 size-4 shrink-0 translate-y-0.5 accent-accent"
    />
  );
}
