import { DATA_LICENCE } from '@tilemark/core';
import type { ReactNode } from 'react';
import { Link } from './link';
import { FOOTNOTE } from './site';

/** The part of a page between header and footer, which the link to skip the header leads to. */
export const SiteMain = ({ children }: { children: ReactNode }) => (
  <main
    id="main"
    tabIndex={-1}
    className="mx-auto w-full max-w-6xl flex-1 px-4 py-7 outline-none sm:px-6"
  >
    {children}
  </main>
);

export const SkipLink = () => (
  <a
    href="#main"
    className="absolute top-1 left-1 z-10 -translate-y-16 rounded-tile bg-accent px-3 py-1.5 text-on-accent focus:translate-y-0"
  >
    Skip to content
  </a>
);

export const SiteFooter = () => (
  <footer className="border-t border-line">
    <div className="mx-auto flex max-w-6xl flex-wrap gap-x-6 gap-y-1 px-4 py-4 text-xs text-muted sm:px-6">
      <p>
        {FOOTNOTE} Data: {DATA_LICENCE}.
      </p>
      <nav aria-label="About" className="ml-auto flex gap-5">
        <Link className="hover:text-ink" href="/docs/start#the-words">
          Glossary
        </Link>
        <Link className="hover:text-ink" href="/operate">
          Workers
        </Link>
        <Link className="hover:text-ink" href="/docs/api">
          API
        </Link>
      </nav>
    </div>
  </footer>
);
