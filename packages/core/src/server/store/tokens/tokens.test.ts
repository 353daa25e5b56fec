import { InputError } from '@tilemark/kernels';
import { expect, test } from 'vitest';
import { testStore } from '../store.test-helper';

const { db, store } = await testStore();

const create = (expiresAt: Date | null = null) =>
  store.tokens.create({ name: 'bench box', role: 'worker', expiresAt });

test('a secret names its role and is verified; only its hash is kept', async () => {
  const { id, secret } = await create();
  expect(secret).toMatch(/^tm_worker_[\w-]{43}$/);
  expect(await store.tokens.verify(secret)).toEqual({
    tokenId: id,
    name: 'bench box',
    role: 'worker',
  });
  const row = await db.token.findUniqueOrThrow({ where: { id } });
  expect(JSON.stringify(row)).not.toContain(secret.slice(-43));
  expect(row.lastUsedAt).not.toBeNull();
});

test('the role is the one it was made for, whatever the secret claims', async () => {
  const { secret } = await create();
  expect(await store.tokens.verify(secret.replace('tm_worker_', 'tm_admin_'))).toBeNull();
});

test.each(['', 'tm_admin_', 'Bearer x', `tm_admin_${'a'.repeat(43)}`])(
  '%j is nobody',
  async (secret) => {
    expect(await store.tokens.verify(secret)).toBeNull();
  },
);

test('a login code logs in once, within its day, and not after its token has ended', async () => {
  const { id } = await create();
  const code = await store.tokens.loginCode(id);
  const both = await Promise.all([store.tokens.redeem(code), store.tokens.redeem(code)]);
  expect(both.filter((principal) => principal !== null)).toEqual([
    { tokenId: id, name: 'bench box', role: 'worker' },
  ]);
  expect(await store.tokens.redeem(code)).toBeNull();
  expect(await store.tokens.redeem('made up')).toBeNull();

  const late = await store.tokens.loginCode(id);
  expect(JSON.stringify(await db.loginLink.findMany())).not.toContain(late);
  await db.loginLink.updateMany({ data: { expiresAt: new Date() } });
  expect(await store.tokens.redeem(late)).toBeNull();

  const next = await store.tokens.loginCode(id);
  expect(await db.loginLink.count()).toBe(1);
  await store.tokens.revoke(id);
  expect(await store.tokens.redeem(next)).toBeNull();
});

test('a token is used by its secret, its login link, and its sessions', async () => {
  const lastUsed = async (id: string) =>
    (await store.tokens.list()).items.find((token) => token.id === id)?.lastUsedAt;
  const { id, secret } = await create();
  expect(await lastUsed(id)).toBeNull();
  const code = await store.tokens.loginCode(id);
  const session = await store.tokens.openSession(id);
  expect(await lastUsed(id)).toBeNull();
  for (const use of [
    () => store.tokens.verify(secret),
    () => store.tokens.redeem(code),
    () => store.tokens.ofSession(session),
  ]) {
    await db.token.update({ where: { id }, data: { lastUsedAt: null } });
    await use();
    expect(await lastUsed(id)).not.toBeNull();
  }
  // To the minute: not every request writes.
  const first = await lastUsed(id);
  await store.tokens.ofSession(session);
  expect(await lastUsed(id)).toBe(first);
});

test('a given secret is one token, however often and by whomever it is given', async () => {
  const secret = `tm_admin_${'a1'.repeat(16)}`;
  const given = () => store.tokens.create({ name: 'lab', role: 'admin', expiresAt: null, secret });
  const made = await Promise.all([given(), given(), given()]);
  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  expect(await store.tokens.verify(secret)).toMatchObject({ name: 'lab', role: 'admin' });
  await store.tokens.revoke(made[0].id);
  expect(await given()).toEqual(made[0]);
  expect(await store.tokens.verify(secret)).toBeNull();
});

test.each(['', 'tm_admin_short', `tm_worker_${'a'.repeat(32)}`, `tm_admin_${'a b'.repeat(16)}`])(
  'no admin token is made with the secret %j',
  async (secret) => {
    const making = store.tokens.create({ name: 'x', role: 'admin', expiresAt: null, secret });
    await expect(making).rejects.toThrow(InputError);
  },
);

test('a revoked token is nobody, for requests and sessions', async () => {
  const { id, secret } = await create();
  const session = await store.tokens.openSession(id);
  expect(await store.tokens.ofSession(session)).not.toBeNull();
  expect(await store.tokens.revoke(id)).toBe(true);
  expect(await store.tokens.revoke(id)).toBe(false);
  expect(await store.tokens.verify(secret)).toBeNull();
  expect(await store.tokens.ofSession(session)).toBeNull();
});

test('a session ends by itself after its time, and no other with it when it is ended', async () => {
  const { id } = await create();
  const [one, two] = [await store.tokens.openSession(id), await store.tokens.openSession(id)];
  await store.tokens.endSession(one);
  const still = async () =>
    [await store.tokens.ofSession(one), await store.tokens.ofSession(two)].map(Boolean);
  expect(await still()).toEqual([false, true]);
  await db.session.update({ where: { id: two }, data: { expiresAt: new Date() } });
  await store.tokens.endSession('another');
  expect(await still()).toEqual([false, false]);
  await store.tokens.openSession(id);
  expect(await db.session.count({ where: { id: two } })).toBe(0);
});

test('the last admin token is the only one that works', async () => {
  await db.token.updateMany({ data: { revokedAt: new Date() } });
  expect(await store.tokens.lastAdmin()).toBeNull();
  const admin = (expiresAt: Date | null) =>
    store.tokens.create({ name: 'boss', role: 'admin', expiresAt });
  const { id } = await admin(null);
  await create();
  await admin(new Date(Date.now() - 1));
  expect(await store.tokens.lastAdmin()).toBe(id);
  await admin(new Date(Date.now() + 60_000));
  expect(await store.tokens.lastAdmin()).toBeNull();
});

test('an expired token is nobody', async () => {
  const { id, secret } = await create(new Date(Date.now() - 1));
  expect(await store.tokens.verify(secret)).toBeNull();
  expect(await store.tokens.ofSession(await store.tokens.openSession(id))).toBeNull();
  const { secret: valid } = await create(new Date(Date.now() + 60_000));
  expect(await store.tokens.verify(valid)).not.toBeNull();
});
