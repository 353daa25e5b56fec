'use client';

import { useLinkStatus } from 'next/link';
import { usePathname } from 'next/navigation';
import { type ComponentProps, useState } from 'react';
import { linkStyle } from './button';
import { Link } from './link';
import { UNDER } from './site';

/** A link of the main navigation, marked if it is the current page. */
export function NavLink({ href, children }: { href: string; children: string }) {
  const path = usePathname();
  const first = `/${path.split('/')[1] ?? ''}`;
  const here = href === (UNDER[first] ?? first);
  return (
    <Link
      href={href}
      aria-current={here ? 'page' : undefined}
      className="relative inline-flex h-8 items-center lg:-mb-px lg:h-11 whitespace-nowrap border-b-2 border-transparent text-[0.8125rem] text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
    >
      {children}
      <Pending />
    </Link>
  );
}

/** Links to the parts of a page, with the current one marked. */
export function Tabs({
  label,
  tabs,
  here,
}: {
  label: string;
  tabs: readonly (readonly [href: string, text: string])[];
  /** Absent: by the path. */
  here?: string;
}) {
  const path = usePathname();
  return (
    <nav aria-label={label} className="mb-4 flex flex-wrap gap-1 border-b border-line">
      {tabs.map(([href, text]) => (
        <Link
          key={href}
          href={href}
          aria-current={href === (here ?? path) ? 'page' : undefined}
          className="-mb-px border-b-2 border-transparent px-3 py-1.5 text-[0.8125rem] whitespace-nowrap text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}

/** A line under the link whose page is loading. */
function Pending() {
  const { pending } = useLinkStatus();
  return pending ? (
    <span
      aria-hidden="true"
      className="pulse absolute inset-x-0 -bottom-0.5 h-0.5 bg-line-strong"
    />
  ) : null;
}

/** Links to the login, which returns the reader to this address, query string included. */
export function LoginLink(props: Omit<ComponentProps<typeof Link>, 'href'>) {
  const path = usePathname();
  const [query, setQuery] = useState('');
  // Read just before use: views change their address without rendering this.
  const look = () => setQuery(window.location.search);
  const next = path === '/login' ? '' : `?${new URLSearchParams({ next: path + query })}`;
  return <Link href={`/login${next}`} onFocus={look} onPointerEnter={look} {...props} />;
}

/** A request to log in, and what that is for: `submit`. */
export const LogIn = ({ to }: { to: string }) => (
  <>
    <LoginLink className={linkStyle}>Log in</LoginLink> with a member or admin token to {to}.
  </>
);
