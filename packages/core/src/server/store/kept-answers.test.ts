import { createClient } from '@tilemark/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../test-services';
import { leaderboardQuerySchema } from '../../api';
import type { Store } from '../store';
import { keptAnswers } from './kept-answers';
import { openStore } from './open-store';
import { attach, kernelRun, measured, recordAll } from './test-fixtures';

let store: Store;
let other: Store;
let db: ReturnType<typeof createClient>;

beforeAll(async () => {
  const url = await testDatabase();
  store = openStore(url);
  other = openStore(url);
  db = createClient(url);
});
afterAll(() => Promise.all([store.close(), other.close(), db.$disconnect()]));

const record = async (name: string) => {
  const { deviceKey, workerId } = await attach(store, name);
  await recordAll(store, deviceKey, workerId, [
    [kernelRun(deviceKey, 'matmul/tiled'), measured(1e6)],
  ]);
};

test('an answer is kept until a result becomes visible, and not longer', async () => {
  const kept = keptAnswers(db);
  let reads = 0;
  const ask = () => kept.answer('a', async () => ++reads);
  expect([await ask(), await ask()]).toEqual([1, 1]);
  await record('One');
  expect([await ask(), await ask()]).toEqual([2, 2]);
});

test('an answer that was read before another transaction committed does not outlive it', async () => {
  const kept = keptAnswers(db);
  const before = await kept.version();
  const { deviceKey, workerId } = await attach(store, 'Late');
  await db.$transaction(async (tx) => {
    // Takes its number first, and commits after others have been seen.
    await tx.$queryRaw`SELECT pg_current_xact_id()::text`;
    await recordAll(store, deviceKey, workerId, [
      [kernelRun(deviceKey, 'matmul/tiled'), measured(2e6)],
    ]);
    expect(await kept.version()).toBe(before + 1);
    await tx.$executeRaw`UPDATE "Result" SET "transaction" = pg_current_xact_id()
      WHERE "workerId" = ${workerId}`;
  });
  expect(await kept.version()).toBe(before + 2);
  expect(await kept.version()).toBe(before + 2);
});

test('a failure is not kept', async () => {
  const kept = keptAnswers(db);
  const fail = kept.answer('a', () => Promise.reject(new Error('away')));
  await expect(fail).rejects.toThrow('away');
  expect(await kept.answer('a', async () => 1)).toBe(1);
});

test('a board shows what another process has recorded', async () => {
  const query = leaderboardQuerySchema.parse({});
  const before = (await other.leaderboard(query)).rows.length;
  await record('Another');
  expect((await other.leaderboard(query)).rows.length).toBe(before + 1);
});
