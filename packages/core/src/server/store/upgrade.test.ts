import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, migrate } from '@tilemark/db';
import { expect, test } from 'vitest';
import { countRows, execute, testDatabase } from '../../../services.test-helper';
import type { Principal } from './audit';
import { attach, kernelRun, measured, recordAll } from './fixtures.test-helper';
import { olderDatabase, PRISMA, readFixture } from './older-database.test-helper';
import { openStore, type Store } from './store';

/** The last migration that the database of contributed kernels below has seen. */
const LAST = '20261123105500_contributed_runs';

/** Rank, author, and median of each row of a board on which all are ranked together. */
async function boardOf(store: Store, shape: string) {
  const asked = {
    op: 'matmul',
    dtype: 'f32',
    profile: 'default',
    contributed: 'together',
  } as const;
  const { rows } = await store.leaderboard({ ...asked, shape });
  return rows.map(({ rank, author, medianNs }) => [rank, author ?? null, medianNs]);
}

test('ranks with contributed kernels survive an upgrade, and a kernel can be removed after it', async () => {
  // A published kernel, an unlisted one, and one that was removed.
  const url = await olderDatabase(LAST, await readFixture('contributed.json'));
  const before = await countRows(url);
  await migrate(url);
  const store = openStore(url);
  try {
    const { Best: _, _prisma_migrations, ...kept } = before;
    expect(await countRows(url)).toMatchObject(kept);
    // The removed one took 3.8 us, and the unlisted one 3.9.
    expect(await boardOf(store, '64')).toEqual([
      [1, 'ada', 4_000],
      [2, null, 5_000],
    ]);
    expect(await boardOf(store, '128')).toEqual([
      [1, null, 9_000],
      [2, 'ada', 9_500],
    ]);
    const [listed, ...others] = await store.contributed.list(null);
    expect([listed?.name, others]).toEqual(['published', []]);

    const id = listed?.id ?? '';
    const admin: Principal = { tokenId: randomUUID(), name: 'root', role: 'admin' };
    await store.contributed.remove(id, { action: 'removeKernel', by: admin });
    expect(await boardOf(store, '64')).toEqual([[1, null, 5_000]]);
    expect(await boardOf(store, '128')).toEqual([[1, null, 9_000]]);
    const { Result, Audit } = await countRows(url);
    expect([Result, Audit]).toEqual([before.Result, (before.Audit ?? 0) + 1]);
    const { items } = await store.audit.list();
    const own = items.filter(({ subject }) => subject === id);
    expect(own.map(({ action, actor }) => [action, actor.name])).toEqual([
      ['removeKernel', 'root'],
      ['publishKernel', 'Ada'],
      ['contributeKernel', 'Ada'],
    ]);
  } finally {
    await store.close();
  }
});

/** The interval of so many equal invocations, as methodology 2 had it. */
function ofMethodology2(medianNs: number, invocations: number, spread: number) {
  const outcome = measured(medianNs);
  const cold = outcome.kind === 'measured' ? outcome.measurement.cold : null;
  const within = ((cold?.highNs ?? 0) - (cold?.lowNs ?? 0)) / 2;
  const overMean = invocations === 4 ? 1.092 : 1;
  const half = (Math.hypot(within, 1.96 * spread * medianNs) * overMean) / Math.sqrt(invocations);
  return { lowNs: medianNs - half, highNs: medianNs + half };
}

test('headlines on processors get the intervals of new ones, and problems their best by them', async () => {
  const url = await testDatabase();
  const store = openStore(url);
  const client = createClient(url);
  const rows = () => client.variantBest.findMany({ orderBy: { kernel: 'asc' } });
  try {
    const { deviceKey, workerId } = await attach(store, 'Shared', 'w1', 'software');
    // The faster kernel has one invocation, the slower four, and so the narrower interval.
    const times = { 'matmul/naive': [1e6], 'matmul/tiled': [1.05e6, 1.05e6, 1.05e6, 1.05e6] };
    for (const [kernel, medians] of Object.entries(times)) {
      for (const ns of medians) {
        await recordAll(store, deviceKey, workerId, [[kernelRun(deviceKey, kernel), measured(ns)]]);
      }
    }
    // The migration is of that methodology.
    await client.variantBest.updateMany({ data: { methodology: 2 } });
    const now = await rows();
    expect(now.map(({ isBest }) => isBest)).toEqual([false, true]);

    // As the version before had them: to it, all devices were as steady as GPUs.
    for (const { kernel, invocations, medianNs } of now) {
      const { highNs, lowNs } = ofMethodology2(medianNs, invocations, 0.003);
      await client.variantBest.updateMany({ where: { kernel }, data: { lowNs, highNs } });
    }
    // The best of a problem had a table of its own.
    await execute(
      url,
      `ALTER TABLE "VariantBest" DROP COLUMN "isBest";
      CREATE TABLE "Best" AS SELECT "deviceKey", "op", "dtype", "shape", "profile", "methodology",
        "resultId", "medianNs", "lowNs", "highNs", "invocations", "unranked", now() AS "measuredAt",
        "resultId" AS "naiveResultId", "medianNs" AS "naiveMedianNs", "unranked" AS "naiveUnranked"
      FROM "VariantBest" WHERE "invocations" = 1`,
    );
    for (const name of ['20261126140000_shared_processors', '20261127034500_best_variants']) {
      const file = join(PRISMA, 'migrations', name, 'migration.sql');
      await execute(url, await readFile(file, 'utf8'));
    }
    const like = <Row extends { medianNs: number; invocations: number }>(row: Row) => {
      const { highNs, lowNs } = ofMethodology2(row.medianNs, row.invocations, 0.1);
      return { ...row, lowNs: expect.closeTo(lowNs, 3), highNs: expect.closeTo(highNs, 3) };
    };
    expect(await rows()).toEqual(now.map(like));
  } finally {
    await client.$disconnect();
    await store.close();
  }
});

test('results of the methodology before keep their ranks and answer, and are measured again', async () => {
  const url = await testDatabase();
  const store = openStore(url);
  const asked = { op: 'matmul', dtype: 'f32', profile: 'default' } as const;
  try {
    const { deviceKey, workerId } = await attach(store, 'Measured before', 'w1');
    const runs = ['matmul/naive', 'matmul/tiled'].map((kernel) => kernelRun(deviceKey, kernel));
    const survey = (rate: number) => {
      const copies = [{ bytes: 2 ** 28, gigabytesPerSecond: rate }];
      const peaks = [{ dtype: 'f32' as const, gigaflopsPerSecond: rate }];
      const found = { copies, lastLevelCacheBytes: null, peaks };
      return store.rooflines.record({ deviceKey, profile: 'default', workerId, survey: found });
    };
    await recordAll(store, deviceKey, workerId, [
      [runs[0]!, measured(2e6)],
      [runs[1]!, measured(1e6)],
    ]);
    const path = '{measurement,methodologyVersion}';
    await execute(url, `UPDATE "Result" SET "outcome" = jsonb_set("outcome", '${path}', '2')`);
    await execute(url, 'UPDATE "VariantBest" SET "methodology" = 2');
    const places = async () => {
      const variants = await store.leaderboard({ ...asked, shape: '64' });
      const won = await store.winners({ key: deviceKey, op: 'matmul' });
      return [variants, { rows: won }].map(({ rows }) => rows.map(({ medianNs }) => medianNs));
    };
    expect(await places()).toEqual([[1e6], [1e6]]);
    // A roof that moves has them reconsidered.
    await survey(2e3);
    await execute(url, `UPDATE "Roof" SET "party" = 'another'`);
    await survey(1e3);
    expect(await places()).toEqual([[1e6], [1e6]]);
    const best = { ...asked, device: deviceKey };
    expect(await store.best({ ...best, m: 64, n: 64, k: 64 })).toMatchObject({
      fallback: 'device',
      isExact: true,
      result: { medianNs: 1e6 },
    });
    expect(await store.best({ ...best, m: 96, n: 96, k: 96 })).toMatchObject({
      fallback: 'device',
      isExact: false,
      result: { medianNs: 1e6 },
    });
    const addresses = runs.map(({ address }) => address);
    const newest = await store.runs.newest([deviceKey], addresses);
    expect(newest.map(({ isOtherMethodology }) => isOtherMethodology)).toEqual([true, true]);
  } finally {
    await store.close();
  }
});
