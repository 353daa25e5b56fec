import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { handle } from '../api/app';
import { call, openTestGrid, type TestGrid } from '../grid.test-helper';
import { provideServices, type Settings } from '../services';
import { addressOf } from './limit';

const PER_MINUTE = 2;

const answer = (request: Request, node: object) => handle(request, node);

let grid: TestGrid;
let site: Server;
let url: string;

/** The log-in route behind a server. */
beforeAll(async () => {
  site = createServer(getRequestListener(answer, { overrideGlobalObjects: false }));
  await new Promise<void>((resolve) => {
    site.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/login/token?token=tm_admin_wrong`;
});
afterAll(() => {
  site.closeAllConnections();
  site.close();
});

/** Each test counts in a database of its own. */
beforeEach(async () => {
  grid = await openTestGrid();
});
afterEach(() => grid.close());

const limit = (settings: Partial<Settings> = {}) =>
  provideServices({
    ...grid,
    settings: {
      ...grid.settings,
      limits: { ...grid.settings.limits, logIn: PER_MINUTE },
      ...settings,
    },
  });

const attempt = (headers: Record<string, string>) => fetch(url, { headers, redirect: 'manual' });

async function statuses(headers: readonly Record<string, string>[]): Promise<number[]> {
  const seen: number[] = [];
  for (const each of headers) seen.push((await attempt(each)).status);
  return seen;
}

it('counts attempts to log in by connection, whatever address their headers make up', async () => {
  limit();
  expect(
    await statuses([
      { 'x-forwarded-for': '10.0.0.1' },
      { 'x-forwarded-for': '10.0.0.2' },
      { 'x-forwarded-for': '10.0.0.3' },
      { 'x-real-ip': '10.0.0.4' },
    ]),
  ).toEqual([303, 303, 429, 429]);
});

it('counts by the address that a proxy of the deployment adds', async () => {
  limit({ isBehindProxy: true });
  const from = (address: string) => ({ 'x-forwarded-for': `9.9.9.9, ${address}` });
  expect(
    await statuses([from('10.0.0.1'), from('10.0.0.1'), from('10.0.0.1'), from('10.0.0.2')]),
  ).toEqual([303, 303, 429, 303]);
});

it.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:DB8:1:2::7', '2001:db8:1:2::'],
  ['2001:db8::7', '2001:db8:0:0::'],
  ['fe80::1%eth0', 'fe80:0:0:0::'],
  ['::1', '0:0:0:0::'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['0:0:0:0:0:ffff:a01:203', '10.1.2.3'],
  ['10.1.2.3', '10.1.2.3'],
  ['::no', '::no'],
])('%s is limited as %s', (address, limited) => {
  const raw = new Request('http://grid.test', { headers: { 'x-forwarded-for': address } });
  expect(addressOf({ env: undefined, req: { raw } }, true)).toBe(limited);
});

it('says which limit is reached, and counts nothing more, once all together try too often', async () => {
  limit({ isBehindProxy: true });
  const from = (n: number) => ({ 'x-forwarded-for': `10.0.1.${n}` });
  const everybody = 20 * PER_MINUTE;
  const all = await statuses(Array.from({ length: everybody }, (_, n) => from(n)));
  expect(new Set(all)).toEqual(new Set([303]));
  const before = await grid.rows();
  const refused = await attempt(from(everybody));
  expect(await refused.json()).toMatchObject({
    status: 429,
    detail: expect.stringContaining(`At most ${everybody} failed attempts to log in`),
  });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await grid.rows()).toEqual(before);
});

it('lets others in while one address is refused', async () => {
  limit({ isBehindProxy: true });
  const busy = Array.from({ length: 25 * PER_MINUTE }, () => ({ 'x-forwarded-for': '10.0.2.1' }));
  await statuses(busy);
  expect(await statuses([{ 'x-forwarded-for': '10.0.2.2' }])).toEqual([303]);
});

it('lets the right token and the right invite in whatever others try', async () => {
  limit({ isBehindProxy: true });
  const from = (n: number) => ({ 'x-forwarded-for': `10.0.3.${n}` });
  await statuses(Array.from({ length: 20 * PER_MINUTE + 1 }, (_, n) => from(n)));
  expect(await statuses([from(1), from(250)])).toEqual([429, 429]);
  const right = new URL(url);
  right.searchParams.set('token', await grid.token('admin'));
  const answer = await fetch(right, { headers: from(1), redirect: 'manual' });
  expect(answer.status).toBe(303);
  expect(answer.headers.get('set-cookie')).toContain('tilemark-session=');
  const { secret } = await grid.store.invites.create({
    name: 'class',
    seats: 2,
    expiresAt: new Date(Date.now() + 60_000),
    by: { tokenId: 't', name: 'Ada', role: 'admin' },
  });
  const redeem = async (invite: string) =>
    (await call('POST /invites/redeem', { body: { invite }, headers: from(1) })).status;
  expect(await redeem(secret)).toBe(200);
  expect(await redeem('tm_invite_wrong')).toBe(429);
});
