import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestGrid, type TestGrid } from '../grid.test-helper';
import { handle } from './app';

/** What the browser of a page of another site is told, by the site's own server. */

let grid: TestGrid;
const server = createServer(
  getRequestListener((request, node) => handle(request, node as never), {
    overrideGlobalObjects: false,
  }),
);
beforeAll(async () => {
  grid = await openTestGrid({ isPublic: false });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await grid.close();
});

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {
    ...init,
    headers: { origin: 'https://notebook.test', ...init.headers },
  });
const preflight = (path: string, method: string) =>
  ask(path, {
    method: 'OPTIONS',
    headers: {
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization',
    },
  });
const shared = ({ headers }: Response) => headers.get('access-control-allow-origin');

it.each([
  ['/health', 200],
  ['/devices', 200],
  ['/best/table?shapes=512&format=csv', 200],
  ['/leaderboard?shpae=1', 400],
  ['/sweeps/none', 404],
  ['/nothing', 404],
])('%s can be read from a page of another site, its refusal too', async (path, status) => {
  const authorization = `Bearer ${await grid.token('member')}`;
  const answer = await ask(`/api/v1${path}`, { headers: { authorization } });
  expect(answer.status).toBe(status);
  expect(shared(answer)).toBe('*');
  // Nothing that the browser sends by itself makes an answer readable.
  expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  expect(shared(await ask(`/api/v1${path}`, { method: 'HEAD', headers: { authorization } }))).toBe(
    '*',
  );
});

it('a preflight allows a token, reading, and nothing else', async () => {
  const { headers, status } = await preflight('/api/v1/devices', 'GET');
  expect(status).toBe(204);
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('access-control-allow-methods')).toBe('GET');
  expect(headers.get('access-control-allow-headers')).toMatch(/Authorization/);
  expect(headers.get('access-control-allow-credentials')).toBeNull();
  for (const path of ['/sweeps', '/workers']) {
    const { headers: ofWrite } = await preflight(`/api/v1${path}`, 'POST');
    expect(ofWrite.get('access-control-allow-methods')).toBe('GET');
  }
});

it('no page of another site reads the answer to a write, or anything but the API', async () => {
  const authorization = `Bearer ${await grid.token('admin')}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'read me', role: 'member' });
  const made = await ask('/api/v1/tokens', { method: 'POST', headers, body });
  expect(made.status).toBe(201);
  expect(shared(made)).toBeNull();
  expect(shared(await ask('/api/v1/sweeps/none', { method: 'DELETE', headers }))).toBeNull();
  expect(shared(await ask('/login/token?token=tm_admin_wrong', { redirect: 'manual' }))).toBeNull();
  expect(shared(await ask('/metrics'))).toBeNull();
  expect(shared(await preflight('/login/token', 'GET'))).toBeNull();
});

it('an OPTIONS that is no preflight is told what an address takes', async () => {
  const answer = await ask('/api/v1/devices', { method: 'OPTIONS' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'GET']);
});
