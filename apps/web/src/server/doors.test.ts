import { request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Answer, costOf, doors, rowsIn } from './doors';
import { openTestGrid, type TestGrid } from './grid.test-helper';
import { sharedPages } from './pages/shared-pages';
import { readsOf } from './session/reads';
import { turns } from './turns';

let grid: TestGrid;
beforeAll(async () => {
  grid = await openTestGrid();
});
afterAll(() => grid.close());
const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

/** A site that says which way each request went, with so many pages per minute for an address. */
async function site(
  perMinute: number,
  page: Answer = (_, response) => void response.end('own'),
  api: Answer = (_, response) => void response.end('api'),
) {
  const reads = readsOf(grid, perMinute);
  const strangers = turns(2);
  const answer = doors(
    {
      api,
      page,
      pages: sharedPages(
        (request, response) =>
          /^\/login/.test(request.url ?? '')
            ? page(request, response)
            : void response.end('shared'),
        strangers,
      ),
    },
    async () => reads,
    strangers,
  );
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return (method: string, path: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; text: string; retryAfter: string | undefined }>(
      (resolve, reject) => {
        const request = ask({ port, method, path, headers, agent: false }, (response) => {
          let text = '';
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              text,
              retryAfter: response.headers['retry-after'],
            }),
          );
        });
        request.on('error', reject);
        // Bodies are never sent: nobody may wait for one.
        if (method === 'GET' && !headers['content-length']) request.end();
        else request.flushHeaders();
      },
    );
}

test('strangers are answered two at a time, some wait, and others are told when to come back', async () => {
  let answering = 0;
  let most = 0;
  const slow: Answer = async (_, response) => {
    most = Math.max(most, ++answering);
    await new Promise((resolve) => setTimeout(resolve, 100));
    answering -= 1;
    response.end('own');
  };
  const send = await site(0, slow, slow);
  const paths = ['/api/v1/devices', '/api/v1/sweeps/1/results?format=csv', '/metrics', '/login'];
  const sent = Array.from({ length: 60 }, (_, at) => send('GET', paths[at % 4] ?? '/'));
  const answers = await Promise.all(sent);
  expect(most).toBe(2);
  const told = answers.filter(({ status }) => status === 429);
  expect(told.length).toBeGreaterThan(0);
  expect(told.every(({ retryAfter }) => Number(retryAfter) > 0)).toBe(true);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(22);

  most = 0;
  const authorization = `Bearer ${await grid.token('member')}`;
  await Promise.all(paths.map((path) => send('GET', path, { authorization })));
  expect(most).toBe(4);
});

test('what is not a read goes to the API, wherever it is sent, with its body still to come', async () => {
  const send = await site(0);
  for (const path of ['/', '/sweeps', '/api/v1/sweeps', '/_next/anything']) {
    expect(await send('POST', path, { 'content-length': '70000000' }), path).toMatchObject({
      status: 200,
      text: 'api',
    });
  }
});

test('a read with a body is refused unread', async () => {
  const send = await site(0);
  expect(await send('GET', '/', { 'content-length': '70000000' })).toMatchObject({ status: 400 });
});

test('an address that has had its pages is told when to come back; sessions and tokens go on', async () => {
  const send = await site(60);
  const statuses: number[] = [];
  for (let at = 0; at < 12; at++) statuses.push((await send('GET', `/sweeps?z=${at}`)).status);
  expect(statuses).toEqual([...Array<number>(10).fill(200), 429, 429]);
  const refused = await send('GET', '/sweeps', { cookie: 'tilemark=made-up' });
  expect(refused).toMatchObject({ status: 429, text: expect.stringContaining('again in') });
  expect(Number(refused.retryAfter)).toBeGreaterThan(0);
  expect(await send('GET', '/api/v1/devices', { authorization: 'Bearer made-up' })).toMatchObject({
    status: 429,
  });
  const authorization = `Bearer ${await grid.token('member')}`;
  expect(await send('GET', '/sweeps', { authorization })).toMatchObject({ text: 'own' });
  // What says that the site is up, and what workers ask, is never refused.
  expect(await send('GET', '/api/v1/health')).toMatchObject({ status: 200 });
  expect(await send('POST', '/api/v1/workers/1/next')).toMatchObject({ text: 'api' });
  expect(await send('POST', '/login/token')).toMatchObject({ text: 'api' });
});

test.each(['/api/v1/workers/1/runs/1/outcome', '/api/v1/results/import'])(
  '%s: who is refused again and again is told to wait; nobody else is',
  async (path) => {
    const send = await site(
      0,
      undefined,
      (request, response) =>
        void response.writeHead(request.headers['x-good'] ? 200 : 409).end('api'),
    );
    const own = { authorization: 'Bearer own' };
    for (let at = 0; at < 6; at++) {
      expect(await send('POST', path, { ...own, 'x-good': '1' })).toMatchObject({ status: 200 });
    }
    for (let at = 0; at < 6; at++) {
      expect(await send('POST', path, own)).toMatchObject({ status: 409 });
    }
    const waits = await send('POST', path, own);
    expect(waits).toMatchObject({ status: 429, text: expect.stringContaining('again in') });
    expect(Number(waits.retryAfter)).toBeGreaterThan(0);
    const good = { 'x-good': '1' };
    expect(await send('POST', path, { ...good, authorization: 'Bearer other' })).toMatchObject({
      status: 200,
    });
    expect(await send('POST', '/api/v1/workers/2/heartbeat', { ...good, ...own })).toMatchObject({
      status: 200,
    });
  },
);

test('thirty documents in a row are served', async () => {
  const send = await site(240);
  for (let at = 0; at < 30; at++) {
    expect(await send('GET', `/docs/${at}`)).toMatchObject({ status: 200, text: 'shared' });
  }
});

test('a browser that is refused gets a page that says when it tries again', async () => {
  const send = await site(6);
  await send('GET', '/sweeps', { accept: '*/*' });
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
  for (const path of ['/queues', '/metrics', '/results/1/badge.svg']) {
    const { status, text, retryAfter } = await send('GET', path, { accept });
    expect(status, path).toBe(429);
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).toContain(`again in ${retryAfter} s`);
  }
});

test('a page that another reader has just had costs next to nothing', async () => {
  const send = await site(60);
  for (let at = 0; at < 30; at++) {
    expect(await send('GET', '/sweeps')).toMatchObject({ status: 200, text: 'shared' });
  }
});

test.each([
  ['GET', '/', 'page'],
  ['GET', '/api?z=1', 'document'],
  ['GET', '/docs', 'document'],
  ['GET', '/docs/measure', 'page'],
  ['GET', '/kernels/new', 'document'],
  ['GET', '/kernels/matmul/tiled', 'page'],
  ['GET', '/api/v1/sweeps/1/results', 'answer'],
  ['GET', '/api/v1/sweeps/1/results?format=csv', 'table'],
  ['GET', '/api/v1/sweeps/1/results?x=1&all=1', 'table'],
  ['GET', '/api/v1/sweeps/1/events', 'events'],
  ['GET', '/results/1/badge.svg', 'picture'],
  ['GET', '/api/v1/best', 'answer'],
  ['GET', '/api/v1/best/table?shapes=512', 'question'],
  ['GET', '/best', 'question'],
  ['GET', '/api/v1/tunings/1/shapes', 'table'],
  ['POST', '/api/v1/sweeps', 'answer'],
] as const)('%s %s costs what a %s does', (method, url, cost) => {
  expect(costOf({ method, url })).toBe(cost);
});

test.each([
  ['/best', 5],
  ['/best?shapes=512&gpu=apple', 5],
  ['/best?shapes=1x4096x4096+512+64,128&gpu=apple,amd,intel', 12],
  ['/api/v1/best/table?shapes=64..4096&gpu=apple,amd', 128],
  ['/api/v1/best/table?suite=llama-3.1-8b-decode&gpu=apple', 64],
])('%s asks for %i rows at most', (url, rows) => {
  expect(rowsIn(url)).toBe(rows);
});

test('a table of many rows takes what an address may have, and the next has to wait', async () => {
  const send = await site(60);
  const table = '/api/v1/best/table?shapes=64..4096&gpu=apple,amd';
  expect((await send('GET', table)).status).toBe(200);
  expect((await send('GET', table)).status).toBe(429);
});

test('streams are counted while they are open', () => {
  const reads = readsOf(grid, 60);
  const reader = { isKnown: false, key: '::1' };
  const streams = Array.from({ length: 60 }, () => reads.open(reader));
  expect(reads.open(reader)).toMatchObject({ status: 429 });
  const [first] = streams;
  if (first && 'release' in first) first.release();
  expect(reads.open(reader)).not.toHaveProperty('status');
});
