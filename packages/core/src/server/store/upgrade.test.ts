import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, migrate } from '@tilemark/db';
import { expect, test } from 'vitest';
import { countRows, emptyDatabase, execute, testDatabase } from '../../../services.test-helper';
import { headline, type Interval, spreadPrior } from '../../rank/headline';
import type { Principal } from './audit';
import { attach, kernelRun, measured, recordAll } from './fixtures.test-helper';
import { openStore, type Store } from './store';

const prisma = fileURLToPath(new URL('../../../../../prisma/', import.meta.url));

/** The last migration that the database below has seen. */
const LAST = '20261123105500_contributed_runs';

/** A database of that time: a published kernel, an unlisted one, and one that was removed. */
async function olderDatabase(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tilemark-upgrade-'));
  try {
    await cp(join(prisma, 'migrations'), folder, { recursive: true });
    const newer = (await readdir(folder)).filter((name) => /^\d/.test(name) && name > LAST);
    for (const name of newer) await rm(join(folder, name), { recursive: true });
    const url = await emptyDatabase();
    await migrate(url, folder);
    const tables: Record<string, object[]> = JSON.parse(
      await readFile(join(prisma, 'fixtures', 'contributed.json'), 'utf8'),
    );
    for (const [table, rows] of Object.entries(tables)) {
      await execute(
        url,
        `INSERT INTO "${table}" SELECT * FROM
         jsonb_populate_recordset(NULL::"${table}", $rows$${JSON.stringify(rows)}$rows$)`,
      );
    }
    return url;
  } finally {
    await rm(folder, { recursive: true });
  }
}

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
  const url = await olderDatabase();
  const before = await countRows(url);
  await migrate(url);
  const store = openStore(url);
  try {
    expect(await countRows(url)).toMatchObject({
      ...before,
      _prisma_migrations: expect.anything(),
    });
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

test('headlines on processors get the intervals of new ones, and problems their best by them', async () => {
  const url = await testDatabase();
  const store = openStore(url);
  const client = createClient(url);
  const rows = async () => ({
    variants: await client.variantBest.findMany({ orderBy: { kernel: 'asc' } }),
    bests: await client.best.findMany(),
  });
  try {
    const { deviceKey, workerId } = await attach(store, 'Shared', 'w1', 'software');
    // The faster kernel has one invocation, the slower four, and so the narrower interval.
    const times = { 'matmul/naive': [1e6], 'matmul/tiled': [1.05e6, 1.05e6, 1.05e6, 1.05e6] };
    for (const [kernel, medians] of Object.entries(times)) {
      for (const ns of medians) {
        await recordAll(store, deviceKey, workerId, [[kernelRun(deviceKey, kernel), measured(ns)]]);
      }
    }
    const now = await rows();
    expect(now.bests).toMatchObject([{ medianNs: 1.05e6, naiveMedianNs: 1e6 }]);

    // As the version before had them: to it, all devices were as steady as GPUs.
    for (const { kernel, invocations, medianNs, resultId } of now.variants) {
      const own = measured(medianNs);
      const series = own.kind === 'measured' ? Array(invocations).fill(own.measurement.cold) : [];
      const { highNs, lowNs } = headline(series, spreadPrior('gpu'));
      await client.variantBest.updateMany({ where: { kernel }, data: { lowNs, highNs } });
      if (invocations === 1) {
        const data = { resultId, medianNs, lowNs, highNs, invocations };
        await client.best.updateMany({ data });
      }
    }
    const file = join(prisma, 'migrations', '20261126140000_shared_processors', 'migration.sql');
    await execute(url, await readFile(file, 'utf8'));
    const like = <Row extends Interval>(row: Row) => ({
      ...row,
      lowNs: expect.closeTo(row.lowNs, 3),
      highNs: expect.closeTo(row.highNs, 3),
    });
    const { bests, variants } = now;
    expect(await rows()).toEqual({ variants: variants.map(like), bests: bests.map(like) });
  } finally {
    await client.$disconnect();
    await store.close();
  }
});
