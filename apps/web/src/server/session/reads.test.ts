import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import {
  request as ask,
  createServer,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { PROTOCOL, PROTOCOL_HEADER } from '@tilemark/core';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import {
  capabilities,
  identity,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { handle } from '../api/app';
import { openTestGrid, type TestGrid } from '../grid.test-helper';
import type { PageEnv } from '../pages';
import { provideServices } from '../services';
import { readsOf } from './reads';

let grid: TestGrid;
beforeAll(async () => {
  grid = await openTestGrid();
});
afterAll(() => grid.close());
const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

type Page = NonNullable<PageEnv['Bindings']['page']>;

/** A site with so many pages per minute for an address. */
async function site(perMinute: number, page: Page = (_, response) => response.end('page')) {
  provideServices({ ...grid, reads: readsOf(perMinute) });
  const fetch = (request: Request, node: object) => handle(request, { ...node, page });
  const server = createServer(getRequestListener(fetch, { overrideGlobalObjects: false }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return (method: string, path: string, headers: OutgoingHttpHeaders = {}, body?: string) =>
    new Promise<{ status: number; text: string; retryAfter: number }>((resolve, reject) => {
      const request = ask({ port, method, path, headers, agent: false }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => {
          const retryAfter = Number(response.headers['retry-after']);
          resolve({ status: response.statusCode ?? 0, text, retryAfter });
        });
      });
      request.on('error', reject);
      // What is said to come never does: nobody may wait for it.
      if (headers['content-length']) request.flushHeaders();
      else request.end(body);
    });
}

test('strangers are answered two at a time, some wait, and others are told when to come back', async () => {
  let answering = 0;
  let most = 0;
  const send = await site(1e6, async (_, response) => {
    most = Math.max(most, ++answering);
    await new Promise((resolve) => setTimeout(resolve, 100));
    answering -= 1;
    response.end('page');
  });
  const paths = ['/', '/sweeps', '/operate', '/login'];
  const sent = Array.from({ length: 60 }, (_, at) => send('GET', paths[at % 4] ?? '/'));
  const answers = await Promise.all(sent);
  expect(most).toBe(2);
  const told = answers.filter(({ status }) => status === 429);
  expect(told.length).toBeGreaterThan(0);
  expect(told.every(({ retryAfter }) => retryAfter > 0)).toBe(true);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(22);

  most = 0;
  const authorization = `Bearer ${await grid.token('member')}`;
  await Promise.all(paths.map((path) => send('GET', path, { authorization })));
  expect(most).toBe(4);
});

test.each([
  ['POST', '/', 405],
  ['POST', '/_next/anything', 404],
  ['POST', '/api/v1/sweeps', 401],
  ['GET', '/', 400],
  ['GET', '/api/v1/sweeps', 400],
] as const)(
  '%s %s with a body still to come is refused without it',
  async (method, path, status) => {
    const send = await site(0);
    expect(await send(method, path, { 'content-length': '70000000' })).toMatchObject({ status });
  },
);

test.each(['TRACE', 'PROPFIND', 'PUT'])('%s has an answer of its own', async (method) => {
  const send = await site(0);
  expect(await send(method, '/')).toMatchObject({ status: 405 });
});

test('an address that has had its pages is told when to come back; sessions and tokens go on', async () => {
  const send = await site(60);
  const statuses: number[] = [];
  for (let at = 0; at < 12; at++) statuses.push((await send('GET', `/sweeps?z=${at}`)).status);
  expect(statuses).toEqual([...Array<number>(10).fill(200), 429, 429]);
  const refused = await send('GET', '/sweeps', { cookie: 'tilemark=made-up' });
  expect(refused).toMatchObject({ status: 429, text: expect.stringContaining('again in') });
  expect(refused.retryAfter).toBeGreaterThan(0);
  expect(await send('GET', '/api/v1/devices', { authorization: 'Bearer made-up' })).toMatchObject({
    status: 429,
  });
  const authorization = `Bearer ${await grid.token('member')}`;
  expect(await send('GET', '/sweeps', { authorization })).toMatchObject({ text: 'page' });
  expect(await send('GET', '/api/v1/sweeps', { authorization })).toMatchObject({ status: 200 });
  // What says that the site is up, what workers ask, and who logs in are never refused; guesses are.
  expect(await send('GET', '/api/v1/health')).toMatchObject({ status: 200 });
  expect(await send('POST', '/api/v1/workers/1/next')).toMatchObject({ status: 401 });
  const logIn = (token: string) => send('GET', `/login/token?token=${token}`);
  expect(await logIn(await grid.token('admin'))).toMatchObject({ status: 303 });
  expect(await logIn('tm_admin_wrong')).toMatchObject({ status: 429 });
});

test('the form of the login may come in chunks', async () => {
  const send = await site(0);
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'transfer-encoding': 'chunked',
    'sec-fetch-site': 'same-origin',
  };
  const form = (token: string) => send('POST', '/login/token', headers, `token=${token}`);
  expect((await form(await grid.token('member'))).status).toBe(303);
  expect((await form('a'.repeat(20_000))).status).toBe(413);
});

test.each([
  ['/api/v1/workers/1/runs/1/outcome', 'worker', 'application/json'],
  ['/api/v1/results/import', 'member', 'application/x-ndjson'],
] as const)(
  '%s: who is refused again and again is told to wait; nobody else is',
  async (path, role, type) => {
    const send = await site(0);
    const post = (token: string, to: string) =>
      send(
        'POST',
        to,
        {
          authorization: `Bearer ${token}`,
          'content-type': type,
          'transfer-encoding': 'chunked',
          [PROTOCOL_HEADER]: String(PROTOCOL),
        },
        '{}',
      );
    const own = await grid.token(role);
    for (let at = 0; at < 6; at++) expect(await post(own, path)).toMatchObject({ status: 400 });
    const waits = await post(own, path);
    expect(waits).toMatchObject({ status: 429, text: expect.stringContaining('again in') });
    expect(waits.retryAfter).toBeGreaterThan(0);
    expect(await post(await grid.token(role), path)).toMatchObject({ status: 400 });
    expect((await post(own, '/api/v1/workers/2/heartbeat')).status).not.toBe(429);
  },
);

test('a browser that is refused gets a page that says when it tries again', async () => {
  const send = await site(6);
  await send('GET', '/sweeps');
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
  for (const path of ['/operate', '/metrics', '/api/v1/sweeps']) {
    const { status, text, retryAfter } = await send('GET', path, { accept });
    expect(status, path).toBe(429);
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).toContain(`again in ${retryAfter} s`);
  }
});

test('a token has more than an address, and not the whole process', async () => {
  const reader = { isLoggedIn: true, key: 'student' };
  const had = async (perMinute: number) => {
    const { take } = readsOf(perMinute);
    let ms = 0;
    while (await take(reader, 100).then(...[() => true, () => false])) ms += 100;
    return ms;
  };
  // An address has 1, 4 and 8 s in ten.
  expect([await had(60), await had(240), await had(480)]).toEqual([5_000, 5_000, 8_000]);
});

/** Of an address that may have 300 ms in ten seconds. */
test.each([
  ['/', 3],
  ['/chart?device=1', 3],
  ['/nothing/here', 3],
  ['/docs', 30],
  ['/docs/measure', 3],
  ['/kernels/new', 30],
  ['/kernels/matmul/tiled', 3],
  ['/best', 2],
  ['/best?gpu=apple,amd,intel', 1],
  ['/best?shapes=64..4096&gpu=apple,amd,intel&epilogue=nothing', 1],
  ['/best?shapes=64..4096&gpu=apple,amd,intel&m=no&_rsc=1', 1],
  ['/favicon.ico', 3],
  ['/%5Fnext/static/a.js', 3],
  ['/_next/static/%E0.js', 3],
  ['/icon%2Esvg', 3],
  ['/best?shapes=512&gpu=apple', 3],
  ['/best?shapes=1x4096x4096+512+64,128&gpu=apple,amd,intel', 1],
  ['/best?shapes=64..256&gpu=apple', 2],
  ['/best?shapes=64..256&gpu=apple&gpu=amd', 1],
  ['/best?shapes=64..4096&device=apple,amd,intel', 1],
  ['/best?suite=llama-3.1-8b-decode&gpu=apple,amd', 1],
  ['/api/v1/best/table?shapes=1&format=none', 3],
  ['/api/v1/best/table?op=transpose&rows=64&cols=64&gpu=apple,amd,intel,nvidia,a/b', 1],
  ['/best?op=transpose&rows=64&cols=64&gpu=apple,amd', 2],
  ['/api/v1/best', 7],
  ['/api/v1/sweeps/1/results', 37],
  ['/api/v1/sweeps/1/results?format=csv', 1],
  ['/api/v1/sweeps/1/results?x=1&all=1', 1],
  ['/api/v1/sweeps/1/events', 6],
])('%s can be asked %i times', async (path, times) => {
  const send = await site(18);
  for (let at = 0; at < times; at++) expect((await send('GET', path)).status).not.toBe(429);
  expect((await send('GET', path)).status).toBe(429);
});

test('what a page is made of is free', async () => {
  const send = await site(6);
  for (let at = 0; at < 20; at++) {
    expect(await send('GET', '/_next/static/a.js')).toMatchObject({ text: 'page' });
    expect(await send('GET', '/icon.svg?a.svg')).toMatchObject({ text: 'page' });
  }
});

test('a token that nobody has costs an answer, also of what is free to those who have one', async () => {
  const send = await site(60);
  const headers = { authorization: 'Bearer made-up' };
  for (let at = 0; at < 125; at++) {
    expect(await send('POST', '/api/v1/workers/1/next', headers)).toMatchObject({ status: 401 });
  }
  expect(await send('POST', '/api/v1/workers/1/next', headers)).toMatchObject({ status: 429 });
});

test('past a share of unknown tokens an address has none looked up, but those that were good', async () => {
  const send = await site(240);
  const get = (secret: string) =>
    send('GET', '/api/v1/sweeps', { authorization: `Bearer ${secret}` });
  const [known, late] = [await grid.token('worker'), await grid.token('worker')];
  expect(await get(known)).toMatchObject({ status: 200 });
  const unknown = (at: number) => `tm_worker_${String(at).padStart(43, 'x')}`;
  for (let at = 0; at < 125; at++) expect(await get(unknown(at))).toMatchObject({ status: 401 });
  const verify = vi.spyOn(grid.store.tokens, 'verify');
  opened.push(() => verify.mockRestore());
  const refused = await get(unknown(125));
  expect(refused).toMatchObject({ status: 429, text: expect.stringContaining('again in') });
  expect(await get(late)).toMatchObject({ status: 429 });
  expect(verify).not.toHaveBeenCalled();
  expect(await get(known)).toMatchObject({ status: 200 });
});

test('what a worker sends is paid for: heartbeats without end are refused, and no honest pace', async () => {
  const send = await site(1);
  const worker = async (device: string) => {
    const headers = {
      authorization: `Bearer ${await grid.token('worker')}`,
      'content-type': 'application/json',
      [PROTOCOL_HEADER]: String(PROTOCOL),
    };
    const post = (path: string, body: object) =>
      send('POST', `/api/v1/workers${path}`, headers, JSON.stringify(body));
    const described = { version: '1', name: 'w', host: 'h', instance: randomUUID(), capabilities };
    const at = new Date().toISOString();
    const { text } = await post('', { ...described, identity: identity(device), at });
    const { workerId } = JSON.parse(text);
    const runs = Array.from({ length: 200 }, () => randomUUID());
    return (named = runs) => post(`/${workerId}/heartbeat`, { state: 'idle', runs: named });
  };
  const [flood, honest] = [await worker('Flood'), await worker('Honest')];
  // Of the 83 ms that a token has here in ten seconds, 8 for attaching.
  for (let at = 0; at < 37; at++) expect((await flood()).status).toBe(200);
  expect(await flood()).toMatchObject({ status: 429 });
  for (let at = 0; at < 20; at++) expect((await honest([])).status).toBe(200);
});

test('a login that fails costs an answer, by link and by form', async () => {
  const send = await site(60);
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'same-origin',
  };
  const guess = (at: number) =>
    at % 2 === 0
      ? send('GET', '/login/token?token=made-up')
      : send('POST', '/login/token', headers, 'token=made-up');
  for (let at = 0; at < 125; at++) expect(await guess(at)).toMatchObject({ status: 303 });
  for (const at of [0, 1]) expect(await guess(at)).toMatchObject({ status: 429 });
});

test('no more wait for a turn than may, of those that come at once', async () => {
  const { takeTurn, take } = readsOf(1e6);
  const response = () =>
    Object.assign(new EventEmitter(), { destroyed: false }) as never as ServerResponse;
  const from = (at: number) => ({ isLoggedIn: false, key: `${at}` });
  let refused = 0;
  for (let at = 0; at < 60; at++) {
    takeTurn.call({ take } as never, from(at), 1, response()).catch(() => refused++);
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(refused).toBe(60 - 22);
});

test('streams are counted while they are open, and those of strangers leave room for others', () => {
  const { openStream } = readsOf(60);
  const response = () => new EventEmitter() as never as Parameters<typeof openStream>[1] & object;
  const stranger = (at: number) => ({ isLoggedIn: false, key: `::${at}` });
  const streams = Array.from({ length: 60 }, response);
  for (const each of streams) openStream(stranger(0), each);
  expect(() => openStream(stranger(0), response())).toThrow(/streams are open/);
  streams[0]?.emit('close');
  openStream(stranger(0), response());
  for (let at = 60; at < 300; at++) openStream(stranger(at), response());
  expect(() => openStream(stranger(300), response())).toThrow(/streams are open/);
  openStream({ isLoggedIn: true, key: 'admin' }, response());
});
