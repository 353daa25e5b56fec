import { ServiceUnavailable } from '@tilemark/core/server';
import type { Metadata, Viewport } from 'next';
import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { originOf } from '@/server/session/origin';
import { visitor } from '@/server/session/visitor';
import { SiteFooter, SiteMain, SkipLink } from '@/ui/site-frame';
import { SiteHeader } from '@/ui/site-header';
import { FONTS } from './fonts';
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
  const reader = visitor().catch((error: unknown) => {
    // The frame stands while the database is unavailable; the page inside says so.
    if (error instanceof ServiceUnavailable) return null;
    throw error;
  });
  return (
    <html lang="en" className={FONTS}>
      <body className="flex min-h-dvh flex-col font-sans">
        <SkipLink />
        <SiteHeader user={await reader} />
        <SiteMain>{children}</SiteMain>
        <SiteFooter />
      </body>
    </html>
  );
}
