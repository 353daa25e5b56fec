'use client';

import Link, { useLinkStatus } from 'next/link';
import { usePathname } from 'next/navigation';
import { useEffect, useRef } from 'react';

/** A place of the site; says where the reader is. */
export function NavLink({ href, children }: { href: string; children: string }) {
  const path = usePathname();
  const here = href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`);
  const link = useRef<HTMLAnchorElement>(null);

  // On a phone the places are wider than the screen: where the reader is has to be in sight.
  useEffect(() => {
    const places = link.current?.parentElement;
    if (!here || !link.current || !places) return;
    const { offsetLeft, offsetWidth } = link.current;
    places.scrollLeft = offsetLeft + offsetWidth / 2 - places.clientWidth / 2;
  }, [here]);

  return (
    <Link
      ref={link}
      href={href}
      aria-current={here ? 'page' : undefined}
      className="relative -mb-px inline-flex h-11 items-center whitespace-nowrap border-b-2 border-transparent text-[0.8125rem] text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
    >
      {children}
      <Pending />
    </Link>
  );
}

/** A line under the place that is being fetched; it takes no room. */
function Pending() {
  const { pending } = useLinkStatus();
  return pending ? (
    <span
      aria-hidden="true"
      className="pulse absolute inset-x-0 -bottom-0.5 h-0.5 bg-line-strong"
    />
  ) : null;
}
