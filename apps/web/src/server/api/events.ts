import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { log } from '../log';

const HEARTBEAT_MS = 15_000;

export interface EventStreamOptions {
  /** The stream ends with the first of them: the reader has left, or the server stops. */
  readonly signals: readonly AbortSignal[];
  /** Asked at every heartbeat; no ends the stream: a token may have been revoked. */
  readonly mayRead?: () => Promise<boolean>;
  readonly heartbeatMs?: number;
}

/** A server-sent events response. `produce` sends until it is done or its signal aborts. */
export function eventStream(
  c: Context,
  { signals, mayRead = async () => true, heartbeatMs = HEARTBEAT_MS }: EventStreamOptions,
  produce: (send: (event: unknown) => void, signal: AbortSignal) => Promise<void>,
): Response {
  const response = streamSSE(c, async (stream) => {
    const ended = new AbortController();
    const signal = AbortSignal.any([...signals, ended.signal]);
    stream.onAbort(() => ended.abort());
    // Comments keep proxies from closing a quiet connection.
    const beat = async () => {
      if (!(await mayRead().catch(() => false))) ended.abort();
      else if (!signal.aborted) await stream.write(': heartbeat\n\n');
    };
    const heartbeat = setInterval(() => void beat(), heartbeatMs);
    try {
      void stream.write('retry: 2000\n\n');
      await produce((event) => {
        if (!signal.aborted) void stream.write(`data: ${JSON.stringify(event)}\n\n`);
      }, signal);
    } catch (error) {
      // The reader connects again; what went wrong is for the log.
      log.error({ err: error, path: c.req.path }, 'an event stream broke off');
    } finally {
      clearInterval(heartbeat);
      ended.abort();
    }
  });
  // no-transform: compressing would hold events back.
  response.headers.set('Cache-Control', 'no-store, no-transform');
  response.headers.set('Content-Type', 'text/event-stream; charset=utf-8');
  response.headers.set('X-Accel-Buffering', 'no');
  // Of the connection, which Node's server manages.
  for (const name of ['Connection', 'Transfer-Encoding']) response.headers.delete(name);
  return response;
}
