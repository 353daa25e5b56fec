'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { type ComponentProps, useState } from 'react';

/** Leads to the login and from there back to where the reader is, the query string included. */
export function LoginLink(props: Omit<ComponentProps<typeof Link>, 'href'>) {
  const path = usePathname();
  const [query, setQuery] = useState('');
  // Read when the link is about to be used: views change their address without rendering this.
  const look = () => setQuery(window.location.search);
  const next = path === '/login' ? '' : `?${new URLSearchParams({ next: path + query })}`;
  return <Link href={`/login${next}`} onFocus={look} onPointerEnter={look} {...props} />;
}
