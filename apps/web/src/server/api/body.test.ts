import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type HttpProblem, problemResponse } from '../problem';
import { jsonBody } from './body';
import type { Bounds } from './received';

const LONG = { maxBytes: 1e6, schema: z.string() };
const PATIENT: Bounds = {
  ...{ roomBytes: 800_000, shareBytes: 400_000, shortBytes: 10_000, shortMs: 60_000 },
  ...{ leastBytes: 1, everyMs: 60_000, longestMs: 60_000 },
};
const HURRIED: Bounds = { ...PATIENT, leastBytes: 10_000, everyMs: 200 };
const read =
  (form: Parameters<typeof jsonBody>[1], bounds: Bounds) =>
  async ({ env, req, text }: Context<{ Bindings: HttpBindings }>) => {
    const sender = req.header('authorization') ?? '';
    await jsonBody({ raw: req.raw, incoming: env.incoming, sender }, form, bounds);
    return text('read');
  };
const app = new Hono<{ Bindings: HttpBindings }>()
  .post('/long', read(LONG, PATIENT))
  .post('/paced', read(LONG, HURRIED))
  .post('/', read({ ...LONG, maxBytes: 1_000 }, PATIENT))
  .get('/', (c) => c.text('well'))
  .onError((error) => problemResponse(error as HttpProblem));
const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
/** One connection, for one request after the other. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  agent.destroy();
  server.close();
});

function send(method: string, body?: string): Promise<{ status: unknown; isReused: boolean }> {
  const { port } = server.address() as AddressInfo;
  const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
  return new Promise((resolve, reject) => {
    const asked = request(
      { port, method, agent, ...(body && { headers }) },
      ({ statusCode: status }) => resolve({ status, isReused: asked.reusedSocket }),
    );
    asked.on('response', (answer) => answer.resume());
    asked.on('error', reject);
    asked.end(body);
  });
}

it('a connection goes on after a body that was refused before its end', async () => {
  const long = JSON.stringify('x'.repeat(300_000));
  for (const isReused of [false, true]) {
    expect(await send('POST', long)).toEqual({ status: 413, isReused });
    expect(await send('GET')).toEqual({ status: 200, isReused: true });
  }
});

/** A body of which so many bytes are sent and the rest is not; its answer, once there is one. */
async function open(path: string, authorization: string, bytes: number) {
  const { port } = server.address() as AddressInfo;
  const headers = { authorization, 'content-type': 'application/json', connection: 'close' };
  const asked = request({ port, path, method: 'POST', headers, agent: false });
  const answer = new Promise<number | undefined>((resolve) => {
    asked.on('response', ({ statusCode }) => resolve(statusCode));
    asked.on('error', () => resolve(undefined));
  });
  await new Promise<void>((sent) => void asked.write(`"${'x'.repeat(bytes)}`, () => sent()));
  return { answer, end: () => asked.end('"'), destroy: () => asked.destroy() };
}

it('open bodies keep nobody from sending short ones, nor another token from its share', async () => {
  const most = 400_000;
  const answerTo = async (authorization: string, bytes: number) => {
    const sent = await open('/long', authorization, bytes);
    sent.end();
    return sent.answer;
  };
  const isRefused = (authorization: string) =>
    vi.waitFor(async () => expect(await answerTo(authorization, 100_000)).toBe(429), 10_000);
  const opened = [await open('/long', 'one', most)];
  await isRefused('one');
  expect(await answerTo('two', 100_000)).toBe(200);
  opened.push(await open('/long', 'two', most));
  await isRefused('three');
  expect(await answerTo('one', 9_000)).toBe(200);
  for (const each of opened) each.destroy();
});

it('a body that waits is refused, and its room is free again', async () => {
  const slow = await open('/paced', 'one', 300_000);
  expect(await slow.answer).toBe(408);
  const next = await open('/paced', 'one', 300_000);
  next.end();
  expect(await next.answer).toBe(200);
});
