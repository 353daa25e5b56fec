import { once } from 'node:events';
import { createServer, get, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, expect, it } from 'vitest';
import { keptPages } from './kept-pages.mjs';

let server: Server;
let url: string;
let version: number | null;
let renders: number;

/** A site whose pages say how often one was rendered. */
const serve = (status = 200): Promise<void> =>
  listen(async (response) => {
    response.statusCode = status;
    response.setHeader('Content-Type', 'text/html');
    response.setHeader('X-Nonce', String(renders));
    response.write(`<p>${renders}`);
    response.end('</p>');
  });

async function listen(render: (response: ServerResponse) => Promise<void>): Promise<void> {
  version = 1;
  renders = 0;
  const answer = keptPages(
    async (_, response) => {
      renders += 1;
      await render(response);
    },
    async () => version,
  );
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(() => new Promise((resolve) => server.close(resolve)));

const read = async (path = '/', headers: Record<string, string> = {}) =>
  (await fetch(`${url}${path}`, { headers })).text();

it('renders a page once for all visitors, until a result has come', async () => {
  await serve();
  expect(await Promise.all([read(), read(), read()])).toEqual(Array(3).fill('<p>1</p>'));
  version = 2;
  expect([await read(), await read()]).toEqual(['<p>2</p>', '<p>2</p>']);
});

it('keeps nobody waiting for a first reader who does not read', async () => {
  const part = Buffer.alloc(1 << 20, 'a');
  // More than the sockets of both sides hold, from a renderer that stops where a buffer is full.
  await listen(async (response) => {
    response.setHeader('Content-Type', 'text/html');
    await pipeline(Readable.from(Array(64).fill(part)), response);
  });
  const { port } = server.address() as AddressInfo;
  const stalled = connect(port, '127.0.0.1').pause();
  stalled.write('GET / HTTP/1.1\r\nHost: grid\r\nAccept-Encoding: gzip\r\n\r\n');
  await once(server, 'request');
  const headers = { host: 'grid', 'accept-encoding': 'gzip' };
  const page = await new Promise<number>((resolve) => {
    get(url, { headers }, async (response) => {
      let bytes = 0;
      for await (const chunk of response) bytes += chunk.length;
      resolve(bytes);
    });
  });
  expect([page, renders]).toEqual([64 * part.length, 1]);
  stalled.destroy();
});

it('does not keep a page whose reader left before its end', async () => {
  await listen(async (response) => {
    response.setHeader('Content-Type', 'text/html');
    response.write('<p>');
    if (renders === 1) await once(response, 'close');
    response.end('</p>');
  });
  const leave = new AbortController();
  const left = await fetch(url, { signal: leave.signal });
  leave.abort();
  await expect(left.text()).rejects.toThrow();
  expect([await read(), renders]).toEqual(['<p></p>', 2]);
});

it('sends the headers with which it was rendered', async () => {
  await serve();
  await read();
  const again = await fetch(url);
  expect(again.headers.get('x-nonce')).toBe('1');
  expect(again.headers.get('content-type')).toBe('text/html');
});

it.each([
  ['somebody who is logged in', '/', { cookie: 'tilemark-session=sealed' }],
  ['a navigation within the site', '/', { rsc: '1' }],
  ['a program with a token', '/', { authorization: 'Bearer tm_member_x' }],
  ['the API', '/api/v1/leaderboard', {}],
  ['a page that is not shared', '/workers', {}],
])('renders for %s each time', async (_, path, headers) => {
  await serve();
  expect([await read(path, headers), await read(path, headers)]).toEqual(['<p>1</p>', '<p>2</p>']);
});

it('tells addresses, cookies and encodings apart', async () => {
  await serve();
  const pages = [
    await read('/'),
    await read('/?view=heatmap'),
    await read('/', { cookie: 'theme=dark' }),
    await read('/', { 'accept-encoding': 'identity' }),
  ];
  expect(new Set(pages).size).toBe(4);
});

it('keeps nothing that is not a page', async () => {
  await serve(404);
  await read();
  await read();
  expect(renders).toBe(2);
});

it('keeps nothing while it is not known what is new', async () => {
  await serve();
  version = null;
  expect([await read(), await read()]).toEqual(['<p>1</p>', '<p>2</p>']);
});
