'use client';

import { Button } from '@/ui/button';
import { StatusPage } from '@/ui/page';
import { SiteFooter, SiteMain, SkipLink } from '@/ui/site-frame';
import { SiteHeader } from '@/ui/site-header';
import { FONTS } from './fonts';
import './globals.css';

/** The last resort, when even the page's frame failed: who looks, only the server could tell. */
export default function GlobalError({ retry }: { retry: () => void }) {
  return (
    <html lang="en" className={FONTS}>
      <body className="flex min-h-dvh flex-col font-sans">
        <title>Tilemark is not responding</title>
        <SkipLink />
        <SiteHeader />
        <SiteMain>
          <StatusPage code="500" title="Tilemark is not responding">
            <p>
              The grid could not read its data, usually because its database is unavailable. Try
              again in a minute; if you run this grid, its log says why.
            </p>
            <Button look="primary" onClick={retry}>
              Try again
            </Button>
          </StatusPage>
        </SiteMain>
        <SiteFooter />
      </body>
    </html>
  );
}
