const HEARTBEAT_MS = 15_000;

export interface EventStreamOptions {
  /** The stream ends with the first of them: the reader has left, or the server stops. */
  readonly signals: readonly AbortSignal[];
  /** Asked at every heartbeat, where the stream ends with a no: a token may have been revoked. */
  readonly mayRead?: () => Promise<boolean>;
  readonly heartbeatMs?: number;
}

/** A server-sent events response. `produce` sends until it is done or its signal aborts. */
export function eventStream(
  { signals, mayRead = async () => true, heartbeatMs = HEARTBEAT_MS }: EventStreamOptions,
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
      const heartbeat = setInterval(() => {
        mayRead().then(
          (may) => (may ? write(': heartbeat\n\n') : ended.abort()),
          () => ended.abort(),
        );
      }, heartbeatMs);
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
