'use client';

import { Button } from '@/ui/button';
import { StatusPage } from '@/ui/page';

/** Shown when a page failed on the server; its log has the details under the digest. */
export default function ErrorPage({
  error,
  retry,
}: {
  error: Error & { digest?: string };
  retry: () => void;
}) {
  return (
    <StatusPage code="500" title="This page failed to load">
      <p>The grid could not read its data. Try again in a minute: workers keep their results.</p>
      {error.digest && (
        <p className="text-xs">
          If you run this grid, look in its log for <code>{error.digest}</code>.
        </p>
      )}
      <Button look="primary" onClick={retry}>
        Try again
      </Button>
    </StatusPage>
  );
}
