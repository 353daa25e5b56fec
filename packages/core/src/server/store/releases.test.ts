import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '@tilemark/db';
import { expect, test } from 'vitest';
import {
  emptyDatabase,
  execute,
  rowsOf,
  testDatabase,
  testRedisUrl,
} from '../../../services.test-helper';
import { newTuningSchema } from '../../api/api';
import { kernelTemplate } from '../../contributed/template';
import type { Outcome } from '../../measure/outcome';
import { openQueue } from '../queue/queue';
import { submitTuning } from '../tunings';
import {
  attach,
  failed,
  kernelRun,
  measured,
  recordAll,
  square,
  sweepOf,
} from './fixtures.test-helper';
import { openStore, type Store } from './store';

/**
 * Every later version opens the databases of each release. A release keeps one of its own, with a row
 * of every kind, in prisma/releases: before it is tagged,
 *
 *     WRITE_RELEASE=0.1.0 npx vitest run --project core store/releases.test.ts
 *
 * writes prisma/releases/0.1.0.json. From the tag on the file stays as it is.
 */

const PRISMA = new URL('../../../../../prisma/', import.meta.url);
const FOLDER = fileURLToPath(new URL('releases/', PRISMA));
const MIGRATIONS = fileURLToPath(new URL('migrations', PRISMA));
const SECRET = `tm_admin_${'release0'.repeat(5)}`;

type Rows = Awaited<ReturnType<typeof rowsOf>>;

interface Release {
  /** By table; `_prisma_migrations` among them. */
  readonly rows: Rows;
  /** What the store answered. */
  readonly answers: unknown;
}

/** Tables whose rows come and go, and tell the next version nothing. */
const PASSING = ['RateLimit'];

const release = process.env.WRITE_RELEASE;
test.runIf(release)('writes a database of this release', async () => {
  const url = await testDatabase();
  const store = openStore(url);
  try {
    await fill(store, url);
    const rows = await rowsOf(url);
    const isEmpty = (table: string) => rows[table]?.length === 0;
    expect(Object.keys(rows).filter(isEmpty)).toEqual(PASSING);
    for (const table of PASSING) delete rows[table];
    const content: Release = { rows, answers: await answersOf(store) };
    await writeFile(`${FOLDER}${release}.json`, `${JSON.stringify(content, null, 1)}\n`);
  } finally {
    await store.close();
  }
});

test.for(await readdir(FOLDER))(
  'the database of release %s opens and answers as it did',
  async (name) => {
    const { answers, rows }: Release = JSON.parse(await readFile(`${FOLDER}${name}`, 'utf8'));
    const url = await restored(rows);
    await migrate(url);
    const store = openStore(url);
    try {
      expect(await answersOf(store)).toMatchObject(answers as object);
    } finally {
      await store.close();
    }
  },
);

/** A row of every kind, made as a grid makes them. */
async function fill(store: Store, url: string): Promise<void> {
  const admin = await store.tokens.create({
    name: 'root',
    role: 'admin',
    expiresAt: null,
    secret: SECRET,
  });
  const by = { tokenId: admin.id, name: 'root', role: 'admin' } as const;
  await store.tokens.openSession(admin.id);
  await store.tokens.loginCode(admin.id);
  const expiresAt = new Date('2999-01-01T00:00:00Z');
  const invite = await store.invites.create({ name: 'class', seats: 3, expiresAt, by });
  await store.invites.redeem(invite.secret);

  const { deviceKey, workerId } = await attach(store, 'Released');
  const survey = {
    copies: [{ bytes: 2 ** 28, gigabytesPerSecond: 5_000 }],
    peaks: [{ dtype: 'f32' as const, gigaflopsPerSecond: 5_000 }],
  };
  await store.rooflines.record({ deviceKey, profile: 'default', workerId, survey });
  const worst = { row: 3, col: 0, got: 'NaN', want: 1, bound: 0 };
  const wrong: Outcome = { kind: 'incorrect', when: 'before', worst, beyond: 1, checked: 4_096 };
  await recordAll(store, deviceKey, workerId, [
    [kernelRun(deviceKey, 'matmul/naive'), measured(2e6)],
    [kernelRun(deviceKey, 'matmul/tiled'), measured(1e6)],
    [kernelRun(deviceKey, 'matmul/tiled'), measured(1.01e6)],
    [kernelRun(deviceKey, 'matmul/naive', square(128)), wrong],
    [kernelRun(deviceKey, 'matmul/tiled', square(128)), failed],
    [kernelRun(deviceKey, 'matmul/tiled', square(256)), { kind: 'skipped', why: 'too large' }],
  ]);
  const { runIds } = await sweepOf(store, [
    kernelRun(deviceKey, 'matmul/naive'),
    kernelRun(deviceKey, 'matmul/tiled'),
  ]);
  await store.runs.claim(runIds[0] ?? '', workerId);
  await store.contributed.add({ source: kernelTemplate('released') }, by);
  const queue = openQueue({ redisUrl: testRedisUrl(), databaseUrl: url, prefix: randomUUID() });
  try {
    const tuning = newTuningSchema.parse({
      device: deviceKey,
      problem: { op: 'matmul', shape: { m: 512, n: 512, k: 512 }, dtype: 'f32' },
      profile: 'default',
      budgetSeconds: 60,
    });
    await submitTuning({ store, queue }, tuning, { name: 'root', tokenId: admin.id });
  } finally {
    await queue.close();
  }
}

/** What is read of everything, in the store's own words. */
async function answersOf(store: Store) {
  const sweeps = (await store.sweeps.list(undefined, {}, { tokenId: 'admin', role: 'admin' }))
    .items;
  const board = { op: 'matmul', dtype: 'f32', profile: 'default', shape: '64' } as const;
  return {
    principal: await store.tokens.verify(SECRET),
    tokens: (await store.tokens.list()).items.map(({ name, role }) => ({ name, role })),
    invites: (await store.invites.list()).map(({ name, seats, used }) => ({ name, seats, used })),
    workers: (await store.workers.list()).map(({ name, device }) => ({ name, device })),
    sweeps: sweeps.map(({ counts, name, status }) => ({ name, status, counts })),
    results: await Promise.all(
      sweeps.map(async ({ id }) =>
        (await store.sweeps.results(id)).items.map(({ address, outcome, problem }) => ({
          address,
          problem,
          outcome,
        })),
      ),
    ),
    board: (await store.leaderboard(board)).rows.map(({ address, lowNs, medianNs, highNs }) => ({
      address,
      times: [lowNs, medianNs, highNs],
    })),
    kernels: (await store.contributed.list(null)).map(({ author, id }) => ({ author, id })),
  };
}

/** A database with these rows, made by the migrations that it had, as they are now. */
async function restored(rows: Rows): Promise<string> {
  const had = rows._prisma_migrations?.map(({ migration_name }) => String(migration_name)) ?? [];
  const folder = await mkdtemp(join(tmpdir(), 'tilemark-release-'));
  try {
    for (const name of had)
      await cp(join(MIGRATIONS, name), join(folder, name), { recursive: true });
    const url = await emptyDatabase();
    await migrate(url, folder);
    const inserts = Object.entries(rows).map(([table, [first = {}, ...others]]) => {
      const columns = Object.keys(first).map((column) => `"${column}"`);
      return `INSERT INTO "${table}" (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(
        NULL::"${table}", $rows$${JSON.stringify([first, ...others])}$rows$)`;
    });
    // Keys and triggers wait: these rows have passed both.
    const all = [
      'SET session_replication_role = replica',
      'DELETE FROM _prisma_migrations',
      ...inserts,
    ];
    await execute(url, all.join(';\n'));
    return url;
  } finally {
    await rm(folder, { recursive: true });
  }
}
