'use client';

import { Button } from '@/ui/button';
import { StatusPage } from '@/ui/status-page';

/** Shown where a page failed on the server: the log has the rest under the digest. */
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
        The server could not answer, most often because its database or queue is away. Running
        workers keep their results and hand them in later.
      </p>
      {error.digest && (
        <p className="text-xs">
          In the server’s log: <code>{error.digest}</code>
        </p>
      )}
      <Button look="primary" onClick={retry}>
        Try again
      </Button>
    </StatusPage>
  );
}
