import { randomUUID } from 'node:crypto';
import { NextRequest } from 'next/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  attach,
  planned,
  sweepOf,
} from '../../../../packages/core/src/server/store/fixtures.test-helper';
import * as route from '../app/queues/[[...path]]/route';
import { proxy } from '../proxy';
import { openTestGrid, type TestGrid } from './grid.test-helper';

let grid: TestGrid;
beforeAll(async () => {
  grid = await openTestGrid();
});
afterAll(() => grid.close());

const get = (path: string, token?: string) =>
  route.GET(
    new Request(`http://grid.test/queues${path}`, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    }),
  );

it('shows admins what waits for each device', async () => {
  const { deviceKey } = await attach(grid.store, 'Boarded');
  const { runIds } = await sweepOf(grid.store, [planned(deviceKey)]);
  await grid.queue.enqueue(runIds.map((id) => ({ id, deviceKey })));
  const admin = await grid.token('admin');
  const { queues } = await (await get('/api/queues', admin)).json();
  expect(queues).toMatchObject([
    { name: `runs.${deviceKey}`, counts: { waiting: 1 }, hasWorkers: true },
  ]);
  const page = await get('', admin);
  expect(page.headers.get('content-security-policy')).toContain("base-uri 'self'");
  expect(page.headers.get('cache-control')).toBe('no-store');
});

describe.each(['member', 'worker'] as const)('a %s', (role) => {
  it('is told that it is for admins', async () => {
    const token = await grid.token(role);
    const page = await get('', token);
    expect(page.status).toBe(403);
    expect(await page.text()).toContain('This page is for admins');
    expect((await get('/api/queues', token)).status).toBe(403);
    expect((await get('/static/js/x.js', token)).status).toBe(403);
  });
});

it('sends visitors to log in, and tells programs that they have to', async () => {
  const page = await get('/queue/runs.x?status=waiting');
  expect(page.headers.get('location')).toBe(
    '/login?next=%2Fqueues%2Fqueue%2Fruns.x%3Fstatus%3Dwaiting',
  );
  expect((await get('/api/queues')).status).toBe(401);
  expect((await get('/api/queues', `tm_admin_${randomUUID()}`)).status).toBe(401);
});

it('takes no request that changes anything, from here or from another site', () => {
  expect(Object.keys(route)).toEqual(['GET']);
});

it('keeps its own policy: the one of pages would stop its scripts', () => {
  const response = proxy(new NextRequest('http://grid.test/queues/queue/x'));
  expect(response.headers.get('content-security-policy')).toBeNull();
});
