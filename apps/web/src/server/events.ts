const HEARTBEAT_MS = 15_000;

/**
 * A server-sent events response. `produce` sends until it is done or the
 * signal aborts: when the reader leaves, or the server stops.
 */
export function eventStream(
  signals: readonly AbortSignal[],
  produce: (send: (event: unknown) => void, signal: AbortSignal) => Promise<void>,
): Response {
  const ended = new AbortController();
  const signal = AbortSignal.any([...signals, ended.signal]);
  const encoder = new TextEncoder();

  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string) => {
        if (!signal.aborted) controller.enqueue(encoder.encode(text));
      };
      // Comments keep proxies from closing a quiet connection.
      const heartbeat = setInterval(() => write(': heartbeat\n\n'), HEARTBEAT_MS);
      write('retry: 2000\n\n');
      const finish = () => {
        clearInterval(heartbeat);
        ended.abort();
      };
      produce((event) => write(`data: ${JSON.stringify(event)}\n\n`), signal).then(
        () => {
          finish();
          closeQuietly(controller);
        },
        (error) => {
          finish();
          controller.error(error);
        },
      );
    },
    cancel: () => ended.abort(),
  });

  return new Response(body, {
    headers: {
      'Content-Type': 'text/event-stream; charset=utf-8',
      // no-transform: compressing would hold events back.
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
    },
  });
}

/** A stream whose reader has left is closed already. */
function closeQuietly(controller: ReadableStreamDefaultController): void {
  try {
    controller.close();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}
