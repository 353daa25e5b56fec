import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { attach } from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { call, openTestGrid, type TestGrid } from '../grid.test-helper';
import { log } from '../log';
import { provideServices } from '../services';
import { handle as logIn } from './app';

let grid: TestGrid;
let admin: string;
beforeAll(async () => {
  grid = await openTestGrid();
  admin = await grid.token('admin', 'Ada');
});
afterAll(() => grid.close());

it('leaves one line in the log for what changes something, and none for what does not', async () => {
  const info = vi.spyOn(log, 'info').mockImplementation(() => undefined);
  const lines = () => info.mock.calls.map(([what]) => what as unknown);
  const made = await call('POST /tokens', { token: admin, body: { name: 'lab', role: 'worker' } });
  const { id, secret } = await made.json();
  const by = { tokenId: expect.any(String), name: 'Ada', role: 'admin' };
  expect(lines()).toEqual([{ operation: 'createToken', by, subject: id }]);
  const { workerId } = await attach(grid.store, 'One');
  await call('POST /workers/{id}/drain', { params: { id: workerId }, token: admin });
  expect(lines().slice(1)).toEqual([{ operation: 'drainWorker', by, subject: workerId }]);
  await logIn(new Request(`http://grid.test/login/token?token=${admin}`));
  expect(lines().slice(2)).toEqual([{ operation: 'logIn', by }]);
  // What is refused was not done.
  await call('POST /sweeps', { token: admin, body: { name: 'x', suite: 'none' } });
  await call('GET /tokens', { token: admin });
  await call('DELETE /tokens/{id}', { params: { id } });
  expect(lines()).toHaveLength(3);
  expect(JSON.stringify(lines())).not.toContain(secret);
  info.mockRestore();
});

describe('tokens', () => {
  it('are listed with role, expiry and last use, and without anything of the secret', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const body = { name: 'Listed', role: 'member', expiresAt };
    const made = await call('POST /tokens', { token: admin, body });
    const { id, secret } = await made.json();
    await grid.store.tokens.verify(secret);
    const { items } = await (await call('GET /tokens', { token: admin })).json();
    expect(items[0]).toEqual({
      id,
      name: 'Listed',
      role: 'member',
      trusted: false,
      createdAt: expect.any(String),
      expiresAt,
      lastUsedAt: expect.any(String),
      revokedAt: null,
      closedAt: null,
    });
    await call('DELETE /tokens/{id}', { params: { id }, token: admin });
    const after = await (await call('GET /tokens', { token: admin })).json();
    expect(after.items[0].revokedAt).not.toBeNull();
  });
});

describe('rate limits', () => {
  const limited = () =>
    provideServices({
      ...grid,
      settings: { ...grid.settings, limits: { logIn: 2, enroll: 2, read: 0, submit: 2 } },
    });

  it('answer 429 with the time to wait, by token', async () => {
    limited();
    const token = await grid.token('member', 'Busy');
    const ask = (by: string) =>
      call('POST /sweeps', { token: by, body: { name: 'x', suite: 'none' } });
    expect([(await ask(token)).status, (await ask(token)).status]).toEqual([400, 400]);
    const refused = await ask(token);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect(await refused.json()).toMatchObject({ title: 'Too many requests', status: 429 });
    expect((await ask(await grid.token('member', 'Other'))).status).toBe(400);
    provideServices(grid);
  });
});
