'use client';

import { Button } from '@/ui/button';
import { StatusPage } from '@/ui/page';
import './globals.css';

/** The last resort, when even the page's frame failed. */
export default function GlobalError({ retry }: { retry: () => void }) {
  return (
    <html lang="en">
      <body className="font-sans">
        <title>Tilemark is not responding</title>
        <header className="border-b border-line">
          <div className="mx-auto flex h-11 max-w-6xl items-center px-4 sm:px-6">
            {/* Loads the page again, which the router could not. */}
            <a href="/" className="font-semibold tracking-tight">
              Tilemark
            </a>
          </div>
        </header>
        <main className="mx-auto w-full max-w-6xl px-4 py-7 sm:px-6">
          <StatusPage code="500" title="Tilemark is not responding">
            <p>
              The grid could not read its data, usually because its database is unavailable. Try
              again in a minute; if you run this grid, its log says why.
            </p>
            <Button look="primary" onClick={retry}>
              Try again
            </Button>
          </StatusPage>
        </main>
      </body>
    </html>
  );
}
