import type { Prisma, PrismaClient } from '@tilemark/db';
import type { Device } from '../../api';
import type { Pace } from '../../pace';
import type { Store } from '../store';
import { deviceHistoryOf } from './device-history';
import { fromJson } from './json';
import { isLost } from './lost';
import { PAGE_SIZE, pageOf } from './page';
import { deviceRef, RUN_VIEW, runResult } from './run-view';

/** Enough to tell a device's pace, few enough to be read for a form. */
const RECENT_RUNS = 300;

/** A longer time between two ends is a device that waited, s. */
const LONGEST_RUN_S = 300;

type DeviceRow = Prisma.DeviceGetPayload<object>;

export function devicesOf(db: PrismaClient): Store['devices'] {
  return {
    async list(cursor) {
      const rows = await db.device.findMany({
        where: cursor ? { key: { gt: cursor } } : {},
        orderBy: { key: 'asc' },
        take: PAGE_SIZE + 1,
      });
      const { items, nextCursor } = pageOf(
        rows,
        (row) => row.key,
        (shown) => [...shown],
      );
      return { items: await deviceViews(db, items), nextCursor };
    },

    async get(key) {
      const row = await db.device.findUnique({ where: { key } });
      const [device = null] = row ? await deviceViews(db, [row]) : [];
      return device;
    },

    async paces(keys) {
      if (keys.length === 0) return [];
      return db.$queryRaw<Pace[]>`
        SELECT "deviceKey", "op"::text, "shape", "policy",
          percentile_cont(0.5) WITHIN GROUP (ORDER BY "seconds") AS "seconds"
        FROM (
          SELECT run.*, extract(epoch FROM "endedAt" - lag("endedAt")
            OVER (PARTITION BY "deviceKey", "sweepId" ORDER BY "endedAt"))::float8 AS "seconds"
          FROM unnest(${[...keys]}::text[]) AS device(key)
          CROSS JOIN LATERAL (
            SELECT "deviceKey", "sweepId", "op", "shape", "policy", "endedAt" FROM "Run"
            WHERE "deviceKey" = device.key AND "state" = 'measured'
            ORDER BY "endedAt" DESC LIMIT ${RECENT_RUNS}
          ) AS run
        ) AS gap
        WHERE "seconds" > 0 AND "seconds" < ${LONGEST_RUN_S}
        GROUP BY "deviceKey", "op", "shape", "policy"`;
    },

    history: (key) => deviceHistoryOf(db, key),

    async toPlan() {
      const rows = await db.device.findMany({ orderBy: { key: 'asc' } });
      const workers = await workersByDevice(db, null);
      return rows.map((row) => ({
        ...deviceRef(row),
        capabilities: fromJson(row.capabilities),
        workers: workers.get(row.key) ?? 0,
      }));
    },

    async names() {
      const rows = await db.device.findMany({ orderBy: { name: 'asc' } });
      return rows.map((row) => ({
        ...deviceRef(row),
        identity: identityOf(row),
      }));
    },

    async best(key) {
      const rows = await db.best.findMany({
        where: { deviceKey: key },
        orderBy: [{ op: 'asc' }, { dtype: 'asc' }, { profile: 'asc' }, { shape: 'asc' }],
        include: { result: { include: { run: { include: RUN_VIEW } } } },
      });
      return rows.map((row) => runResult(row.result.run));
    },
  };
}

const identityOf = (row: DeviceRow): Device['identity'] => ({
  vendor: row.vendor,
  architecture: row.architecture,
  device: row.name,
  backend: row.backend,
  runtime: row.runtime,
  class: row.class,
});

/** How many workers the devices have that are not lost; of every device for null. */
async function workersByDevice(
  db: PrismaClient,
  keys: readonly string[] | null,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.$queryRaw<{ deviceKey: string; count: number }[]>`
    SELECT "deviceKey", count(*)::int AS count FROM "Worker" AS w
    WHERE (${keys}::text[] IS NULL OR "deviceKey" = ANY(${keys})) AND NOT ${isLost('w')}
    GROUP BY "deviceKey"`;
  return new Map(rows.map(({ deviceKey, count }) => [deviceKey, count]));
}

async function deviceViews(db: PrismaClient, rows: readonly DeviceRow[]): Promise<Device[]> {
  if (rows.length === 0) return [];
  const keys = rows.map((row) => row.key);
  const [workers, runs] = await Promise.all([
    workersByDevice(db, keys),
    db.run.groupBy({
      by: ['deviceKey', 'state'],
      where: { deviceKey: { in: keys } },
      _count: true,
    }),
  ]);
  return rows.map((row) => {
    const states = runs.filter((group) => group.deviceKey === row.key);
    const sum = (groups: typeof states) => groups.reduce((total, { _count }) => total + _count, 0);
    return {
      key: row.key,
      name: row.name,
      class: row.class,
      identity: identityOf(row),
      capabilities: fromJson(row.capabilities),
      workers: workers.get(row.key) ?? 0,
      pending: sum(states.filter(({ state }) => state === 'pending')),
      results: sum(states.filter(({ state }) => state !== 'pending' && state !== 'running')),
      firstSeenAt: row.firstSeenAt.toISOString(),
      lastSeenAt: row.lastSeenAt.toISOString(),
    };
  });
}
