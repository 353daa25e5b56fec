'use client';

import { createContext, type ReactNode, useContext, useState } from 'react';
import { Button, ButtonLink } from '@/ui/button';
import { plural } from '@/ui/format';

/** What may be ticked together, and where that leads. */
const KINDS = {
  devices: {
    ...{ fewest: 1, most: 8, noun: 'device', verb: 'Draw' },
    full: 'A figure has eight devices at most: untick one first.',
    href: (ids: readonly string[], also: string) =>
      `/chart?${new URLSearchParams([...ids.map((id) => ['device', id]), ...new URLSearchParams(also)])}`,
  },
  results: {
    ...{ fewest: 2, most: 2, noun: 'result', verb: 'Compare' },
    full: 'Two results are compared at a time: untick one first.',
    href: ([a = '', b = '']: readonly string[], _also: string) =>
      `/compare?${new URLSearchParams({ a, b })}`,
  },
} as const;
type Kind = keyof typeof KINDS;

interface Ticked {
  readonly kind: Kind;
  readonly ids: readonly string[];
  readonly toggle: (id: string) => void;
}
const Ticks = createContext<Ticked | null>(null);

/**
 * A part of a page whose rows have ticks, and the bar that leads on while something is ticked. What is
 * ticked is forgotten with the page.
 *
 * @param also the rest of the address that the bar leads to
 */
export function Ticking({
  kind,
  also = '',
  children,
}: {
  kind: Kind;
  also?: string;
  children: ReactNode;
}) {
  const [ids, setIds] = useState<readonly string[]>([]);
  const [isRefused, setRefused] = useState(false);
  const { fewest, full, href, most, noun, verb } = KINDS[kind];
  const toggle = (id: string) => {
    const isTicked = ids.includes(id);
    setRefused(!isTicked && ids.length === most);
    if (isTicked) setIds(ids.filter((ticked) => ticked !== id));
    else if (ids.length < most) setIds([...ids, id]);
  };
  return (
    <Ticks value={{ kind, ids, toggle }}>
      {children}
      {ids.length > 0 && (
        <section
          aria-label="Ticked"
          data-foot
          className="sticky bottom-0 z-10 flex items-center gap-3 border-t border-line-strong bg-surface px-3 py-2"
        >
          <p role="status" className="text-[0.8125rem]">
            {isRefused ? full : `${plural(ids.length, noun)} ticked.`}
          </p>
          <div className="ml-auto flex gap-2">
            <Button look="quiet" onClick={() => setIds([])}>
              Clear
            </Button>
            {ids.length >= fewest && (
              <ButtonLink look="primary" href={href(ids, also)}>
                {verb} {ids.length}
              </ButtonLink>
            )}
          </div>
        </section>
      )}
    </Ticks>
  );
}

/** Ticks a result or a device; nothing where rows have no ticks. */
export function Tick({ id, label }: { id: string; label: string }) {
  const ticked = useContext(Ticks);
  if (!ticked) return null;
  const title = `Select to ${KINDS[ticked.kind].verb.toLowerCase()}`;
  return (
    <input
      type="checkbox"
      aria-label={`${title}: ${label}`}
      title={title}
      checked={ticked.ids.includes(id)}
      onChange={() => ticked.toggle(id)}
      className="mr-2 size-4 shrink-0 translate-y-0.5 accent-accent"
    />
  );
}
