import { randomUUID } from 'node:crypto';
import { openStore } from '@tilemark/core/server';
import { createClient } from '@tilemark/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../../../../../packages/core/services.test-helper';
import { attach } from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { call, openTestGrid, type TestGrid } from '../grid.test-helper';
import { operations } from '../operations.test-helper';
import { provideServices } from '../services';
import { handle as logIn } from './app';

let grid: TestGrid;
let admin: string;
beforeAll(async () => {
  grid = await openTestGrid();
  admin = await grid.token('admin', 'Ada');
});
afterAll(() => grid.close());

const entries = async (query = '') =>
  (await (await call('GET /audit', { query, token: admin })).json()).items;

describe('the audit list', () => {
  it('is written by every operation that changes something, save what workers do all the time', () => {
    const ofWorkers = [
      'takeNextRun',
      'beat',
      'releaseRun',
      'endRun',
      'recordRoofline',
      'detachWorker',
    ];
    const changing = Object.entries(operations).filter(
      ([id, { method }]) => method !== 'GET' && !ofWorkers.includes(id),
    );
    expect(changing.filter(([id, operation]) => operation.audit !== id)).toEqual([]);
  });

  it('tells who made and revoked a token, drained a worker, and logged in; newest first', async () => {
    const made = await call('POST /tokens', {
      token: admin,
      body: { name: 'lab', role: 'worker' },
    });
    const { id, secret } = await made.json();
    await call('DELETE /tokens/{id}', { params: { id }, token: admin });
    const { workerId } = await attach(grid.store, 'One');
    const onWorker = { params: { id: workerId }, token: admin };
    expect(await (await call('POST /workers/{id}/drain', onWorker)).json()).toMatchObject({
      wanted: 'drained',
    });
    expect(await (await call('POST /workers/{id}/resume', onWorker)).json()).toMatchObject({
      wanted: 'working',
    });
    await logIn(new Request(`http://grid.test/login/token?token=${admin}`));
    // What is refused was not done.
    await call('POST /sweeps', { token: admin, body: { name: 'x', suite: 'none' } });

    const list = await entries();
    const actor = { name: 'Ada', role: 'admin' };
    expect(list).toMatchObject([
      { action: 'logIn', actor, subject: null },
      { action: 'resumeWorker', actor, subject: workerId },
      { action: 'drainWorker', actor, subject: workerId, subjectName: 'w1' },
      { action: 'revokeToken', actor, subject: id, subjectName: 'lab' },
      { action: 'createToken', actor, subject: id },
    ]);
    expect(JSON.stringify(list)).not.toContain(secret);
    expect(await entries('?action=logIn')).toHaveLength(1);
    expect(await entries(`?actor=${id}`)).toEqual([]);
  });

  it('comes in pages', async () => {
    const by = { tokenId: randomUUID(), name: 'x', role: 'member' as const };
    for (let n = 0; n < 101; n++) {
      await grid.store.audit.record({ action: 'createSweep', by }, String(n));
    }
    const first = await grid.store.audit.list({ actorId: by.tokenId });
    expect(first.items).toHaveLength(100);
    const rest = await grid.store.audit.list({
      actorId: by.tokenId,
      cursor: first.nextCursor ?? '',
    });
    expect(rest).toMatchObject({ items: [{ subject: '0' }], nextCursor: null });
  });

  it('is only added to', async () => {
    const url = await testDatabase();
    const store = openStore(url);
    const db = createClient(url);
    const by = { tokenId: 'a', name: 'x', role: 'admin' as const };
    await store.audit.record({ action: 'logIn', by }, null);
    await expect(db.audit.updateMany({ data: { actor: 'y' } })).rejects.toThrow(/neither changed/);
    await expect(db.audit.deleteMany()).rejects.toThrow(/neither changed/);
    await expect(db.$executeRaw`TRUNCATE "Audit"`).rejects.toThrow(/neither changed/);
    expect((await store.audit.list()).items).toHaveLength(1);
    await db.$disconnect();
    await store.close();
  });
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
