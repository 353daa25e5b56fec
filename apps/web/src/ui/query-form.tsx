'use client';

import { usePathname, useRouter } from 'next/navigation';
import { type ReactNode, useTransition } from 'react';
import { Button } from './button';

/**
 * A form whose state is the query string. Changes apply immediately; without scripts, by its
 * button.
 */
export function QueryForm({
  label,
  resets = {},
  children,
}: {
  label: string;
  /** Controls to reset when another one changes. */
  resets?: Readonly<Record<string, readonly string[]>>;
  children: ReactNode;
}) {
  const router = useRouter();
  const path = usePathname();
  const [isPending, startTransition] = useTransition();

  const apply = (form: HTMLFormElement, changed = '') => {
    const query = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
      if (resets[changed]?.includes(name)) continue;
      if (typeof value === 'string' && value !== '') query.append(name, value);
    }
    startTransition(() => router.push(`${path}?${query}`, { scroll: false }));
  };

  return (
    <form
      method="get"
      aria-label={label}
      aria-busy={isPending}
      className="flex flex-wrap items-end gap-3 aria-busy:opacity-70"
      onChange={({ currentTarget, target }) =>
        apply(currentTarget, target instanceof HTMLSelectElement ? target.name : '')
      }
      onSubmit={(event) => {
        event.preventDefault();
        apply(event.currentTarget);
      }}
    >
      {children}
      <noscript>
        <Button type="submit">Show</Button>
      </noscript>
    </form>
  );
}
