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
      <p>
        The server could not answer, usually because its database or queue is unavailable. Workers
        keep their results and deliver them later.
      </p>
      {error.digest && (
        <p className="text-xs">
          Look in the server’s log for <code>{error.digest}</code>
        </p>
      )}
      <Button look="primary" onClick={retry}>
        Try again
      </Button>
    </StatusPage>
  );
}
