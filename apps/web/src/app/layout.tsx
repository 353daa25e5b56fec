import { isServiceUnavailable } from '@tilemark/core/server';
import { GeistMono } from 'geist/font/mono';
import { GeistSans } from 'geist/font/sans';
import type { Metadata, Viewport } from 'next';
import { cookies, headers } from 'next/headers';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { CompareBar } from '@/features/compare/pick';
import { originOf } from '@/server/session/origin';
import { visitor } from '@/server/session/visitor';
import { FOOTNOTE, parseTheme, THEME_COOKIE } from '@/ui/site';
import { SiteHeader } from '@/ui/site-header';
import './globals.css';

export const generateMetadata = async (): Promise<Metadata> => ({
  metadataBase: new URL(originOf(await headers())),
  title: { default: 'Tilemark', template: '%s · Tilemark' },
  description:
    'WGSL matrix-multiply and transpose kernels, measured and verified on every GPU that joins.',
});

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#ffffff' },
    { media: '(prefers-color-scheme: dark)', color: '#14181b' },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  const theme = parseTheme((await cookies()).get(THEME_COOKIE)?.value);
  const known = visitor().catch((error: unknown) => {
    // The frame stands while the database is unavailable; the page inside says so.
    if (isServiceUnavailable(error)) return null;
    throw error;
  });
  return (
    <html
      lang="en"
      data-theme={theme === 'system' ? undefined : theme}
      className={`${GeistSans.variable} ${GeistMono.variable}`}
      // The toggle changes data-theme without React.
      suppressHydrationWarning
    >
      <body className="flex min-h-dvh flex-col font-sans">
        <a
          href="#main"
          className="absolute top-1 left-1 z-10 -translate-y-16 rounded-tile bg-accent px-3 py-1.5 text-on-accent focus:translate-y-0"
        >
          Skip to content
        </a>
        <SiteHeader theme={theme} user={await known} />
        <main
          id="main"
          tabIndex={-1}
          className="mx-auto w-full max-w-6xl flex-1 px-4 py-7 outline-none sm:px-6"
        >
          {children}
        </main>
        <CompareBar />
        <footer className="border-t border-line">
          <div className="mx-auto flex max-w-6xl flex-wrap gap-x-6 gap-y-1 px-4 py-4 text-xs text-muted sm:px-6">
            <p>{FOOTNOTE}</p>
            <nav aria-label="About" className="ml-auto flex gap-5">
              <Link className="hover:text-ink" href="/docs">
                Docs
              </Link>
              <Link className="hover:text-ink" href="/api">
                API
              </Link>
            </nav>
          </div>
        </footer>
      </body>
    </html>
  );
}
