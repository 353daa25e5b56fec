import { openStore } from '@tilemark/core/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SESSION_COOKIE } from '@/ui/site';
import { openTestGrid, type TestGrid } from '../grid.test-helper';
import { mayStill } from './principal';
import { sealSession } from './session';

let grid: TestGrid;
beforeAll(async () => {
  grid = await openTestGrid({ isPublic: false });
});
afterAll(() => grid.close());

const mayRead = (headers: Record<string, string>, over = {}) =>
  mayStill('read', new Headers(headers), { ...grid, ...over });

it('lets nobody read a private grid on after a token was revoked, nor its sessions', async () => {
  const input = { name: 'Reader', role: 'member', expiresAt: null } as const;
  const { id, secret } = await grid.store.tokens.create(input);
  const cookie = `${SESSION_COOKIE}=${await sealSession(await grid.store.tokens.openSession(id), grid.settings)}`;
  const shown = [{ authorization: `Bearer ${secret}` }, { cookie }];
  expect(await Promise.all(shown.map((headers) => mayRead(headers)))).toEqual([true, true]);
  await grid.store.tokens.revoke(id);
  expect(await Promise.all(shown.map((headers) => mayRead(headers)))).toEqual([false, false]);
});

it('takes an outage of the database for no refusal', async () => {
  const store = openStore('postgresql://nobody@127.0.0.1:1/away');
  const authorization = `Bearer ${await grid.token('member')}`;
  expect(await mayRead({ authorization }, { store })).toBe(true);
  await store.close();
});
