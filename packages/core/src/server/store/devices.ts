import { Prisma, type PrismaClient } from '@tilemark/db';
import type { Device } from '../../api';
import type { Store } from '../store';
import { fromJson } from './json';
import { isLost } from './lost';
import { PAGE_SIZE, pageOf } from './page';
import { RUN_VIEW, runResult } from './run-view';

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

async function deviceViews(db: PrismaClient, rows: readonly DeviceRow[]): Promise<Device[]> {
  if (rows.length === 0) return [];
  const keys = rows.map((row) => row.key);
  const [workers, runs] = await Promise.all([
    db.$queryRaw<{ deviceKey: string; count: number }[]>`
      SELECT "deviceKey", count(*)::int AS count FROM "Worker" AS w
      WHERE "deviceKey" IN (${Prisma.join(keys)}) AND NOT ${isLost('w')}
      GROUP BY "deviceKey"`,
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
      identity: {
        vendor: row.vendor,
        architecture: row.architecture,
        device: row.name,
        backend: row.backend,
        runtime: row.runtime,
        class: row.class,
      },
      capabilities: fromJson(row.capabilities),
      workers: workers.find((each) => each.deviceKey === row.key)?.count ?? 0,
      pending: sum(states.filter(({ state }) => state === 'pending')),
      results: sum(states.filter(({ state }) => state !== 'pending' && state !== 'running')),
      firstSeenAt: row.firstSeenAt.toISOString(),
      lastSeenAt: row.lastSeenAt.toISOString(),
    };
  });
}
