'use client';

import './globals.css';

/** The last resort, when even the page's frame failed. */
export default function GlobalError({ retry }: { retry: () => void }) {
  return (
    <html lang="en">
      <body className="mx-auto max-w-xl px-6 py-24 font-sans">
        <title>Tilemark is not responding</title>
        <h1 className="text-[1.375rem]">Tilemark is not responding</h1>
        <p className="mt-2 text-muted">
          The server could not answer, usually because its database is unavailable. Its log says
          why.
        </p>
        <button
          type="button"
          onClick={retry}
          className="mt-6 h-8 rounded-tile bg-accent px-3 text-[0.8125rem] font-medium text-on-accent"
        >
          Try again
        </button>
      </body>
    </html>
  );
}
