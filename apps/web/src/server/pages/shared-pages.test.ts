import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { turns } from '../turns';
import { sharedPages } from './shared-pages';

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

/** A site that numbers what it renders, behind shared pages. */
async function site(status = 200) {
  let rendered = 0;
  const handle = vi.fn<RequestListener>((request, response) => {
    response.writeHead(status, { 'Content-Type': 'text/html', 'X-Host': request.headers.host });
    response.end(`${request.url} ${++rendered}`);
  });
  const answer = sharedPages(handle, turns(2));
  const server = createServer((request, response) => void answer(request, response, 'page'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const get = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).text();
  return { get, handle };
}

test('readers without a session share one rendering of an address', async () => {
  const { get, handle } = await site();
  const answers = await Promise.all([get('/'), get('/'), get('/')]);
  expect(new Set(answers)).toEqual(new Set(['/ 1']));
  expect(await get('/')).toBe('/ 1');
  expect(await get('/?dtype=f16')).toBe('/?dtype=f16 2');
  expect(await get('/', { 'x-forwarded-host': 'grid.example' })).toBe('/ 3');
  expect(handle).toHaveBeenCalledTimes(3);
});

test('a page is rendered again after a second', async () => {
  const { get } = await site();
  expect(await get('/')).toBe('/ 1');
  await vi.waitFor(async () => expect(await get('/')).toBe('/ 2'), 60_000);
});

test.each([
  ['the API', '/api/v1/health'],
  ['a file', '/worker.tgz'],
  ['logging in', '/login'],
] as const)('%s gets an answer of its own', async (_, path) => {
  const { get } = await site();
  expect(await get(path)).toBe(`${path} 1`);
  expect(await get(path)).toBe(`${path} 2`);
});

test('an outage is not kept', async () => {
  const { get } = await site(503);
  expect(await get('/')).toBe('/ 1');
  expect(await get('/')).toBe('/ 2');
});

test('two pages are rendered at once, some wait for their turn, and more are turned away', async () => {
  let rendering = 0;
  let most = 0;
  const answer = sharedPages(async (request, response) => {
    most = Math.max(most, ++rendering);
    await new Promise((resolve) => setTimeout(resolve, 200));
    rendering -= 1;
    response.end(request.url);
  }, turns(2));
  const server = createServer(
    (request, response) =>
      void answer(request, response, 'page', async (cost) => {
        if (cost === 'none left') response.writeHead(429).end('later');
        return cost === 'none left';
      }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const paths = Array.from({ length: 40 }, (_, at) => `/?at=${at}`);
  const answers = await Promise.all(
    paths.map(async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()),
  );
  expect(answers).toContain('later');
  expect(answers.filter((answer) => answer !== 'later').length).toBeGreaterThanOrEqual(22);
  expect(most).toBe(2);
});
