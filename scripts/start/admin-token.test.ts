import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '@tilemark/core/server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { migrate } from '../../prisma';
import { startPostgres } from '../services/postgres';
import { ensureAdminToken } from './admin-token';
import { StartProblem } from './terminal';

let scratch: string;
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let store: Store;
let dataDir: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'tilemark-admin-token-'));
  postgres = await startPostgres({ dataDir: join(scratch, 'postgres') });
  await migrate(postgres.url);
  store = openStore(postgres.url);
});
afterAll(async () => {
  await store?.close();
  await postgres?.stop();
  await rm(scratch, { recursive: true, force: true });
});
beforeEach(async () => {
  dataDir = await mkdtemp(join(scratch, 'data-'));
});

const ensure = (chosen: string | null = null) => ensureAdminToken(dataDir, postgres.url, chosen);

test('the first start makes one and keeps it to its owner; the next finds it', async () => {
  const secret = await ensure();
  const file = join(dataDir, 'admin-token');
  expect((await readFile(file, 'utf8')).trim()).toBe(secret);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await ensure()).toBe(secret);
});

test('one that was revoked is replaced', async () => {
  const secret = await ensure();
  await store.tokens.revoke((await store.tokens.verify(secret))?.tokenId ?? '');
  const next = await ensure();
  expect(next).not.toBe(secret);
  expect(await store.tokens.verify(next)).toMatchObject({ role: 'admin' });
});

test('a chosen one is valid from every start on and written nowhere', async () => {
  const chosen = `tm_admin_${'b2'.repeat(32)}`;
  expect(await ensure(chosen)).toBe(chosen);
  const first = await store.tokens.verify(chosen);
  expect(first).toMatchObject({ role: 'admin' });
  await ensure(chosen);
  expect(await store.tokens.verify(chosen)).toEqual(first);
  expect(await readdir(dataDir)).toEqual([]);
});

test('a chosen one that was revoked stays so, and the start says it', async () => {
  const chosen = `tm_admin_${'c3'.repeat(32)}`;
  await ensure(chosen);
  await store.tokens.revoke((await store.tokens.verify(chosen))?.tokenId ?? '');
  const failure = await ensure(chosen).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StartProblem);
  expect((failure as Error).message).toContain('TILEMARK_ADMIN_TOKEN');
  expect((failure as Error).message).not.toContain(chosen);
});
