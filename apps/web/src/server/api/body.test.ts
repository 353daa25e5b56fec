import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type HttpProblem, problemResponse } from '../problem';
import { jsonBody, type NodeRequest } from './body';

const app = new Hono<{ Bindings: NodeRequest }>()
  .post('/', jsonBody({ maxBytes: 1_000 }), (c) => c.text('read'))
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
