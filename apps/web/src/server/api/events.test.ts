import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { type EventStreamOptions, eventStream } from './events';

const decoder = new TextDecoder();

const streamed = (
  options: EventStreamOptions,
  produce: (send: (event: unknown) => void, signal: AbortSignal) => Promise<void>,
) => new Hono().get('/', (c) => eventStream(c, options, produce)).request('/');

it('sends each event as one data line and ends when the producer does', async () => {
  const response = await streamed({ signals: [] }, async (send) => {
    send({ a: 1 });
    send({ text: 'two\nlines' });
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  expect(response.headers.get('cache-control')).toContain('no-transform');
  expect(await response.text()).toBe(
    'retry: 2000\n\ndata: {"a":1}\n\ndata: {"text":"two\\nlines"}\n\n',
  );
});

it('tells the producer when the reader leaves', async () => {
  let producing: AbortSignal | undefined;
  const response = await streamed({ signals: [] }, (_, signal) => {
    producing = signal;
    return new Promise(() => undefined);
  });
  const reader = response.body!.getReader();
  expect(decoder.decode((await reader.read()).value)).toBe('retry: 2000\n\n');
  await reader.cancel();
  expect(producing?.aborted).toBe(true);
});

it('ends when the server stops', async () => {
  const stopping = new AbortController();
  const response = await streamed(
    { signals: [stopping.signal] },
    (_, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
  );
  stopping.abort();
  expect(await response.text()).toBe('retry: 2000\n\n');
});

it('ends at the heartbeat that finds the reader no longer let in', async () => {
  let beats = 0;
  const response = await streamed(
    {
      signals: [],
      heartbeatMs: 1,
      mayRead: async () => ++beats <= 2,
    },
    (_, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
  );
  expect(await response.text()).toBe('retry: 2000\n\n: heartbeat\n\n: heartbeat\n\n');
});
