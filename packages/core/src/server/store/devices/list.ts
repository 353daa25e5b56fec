import type { Prisma, PrismaClient } from '@tilemark/db';
import { sum } from 'd3-array';
import type { Device, Page } from '../../../api/api';
import { fromJson, PAGE_SIZE, pageOf } from '../database';
import { deviceRef } from '../run-view';
import { workersByDevice } from './to-plan';

export async function listDevices(db: PrismaClient, cursor?: string): Promise<Page<Device>> {
  const rows = await db.device.findMany({
    where: cursor ? { key: { gt: cursor } } : {},
    orderBy: { key: 'asc' },
    take: PAGE_SIZE + 1,
  });
  const { items, nextCursor } = pageOf(rows, (row) => row.key);
  return { items: await deviceViews(db, items), nextCursor };
}

export async function getDevice(db: PrismaClient, key: string): Promise<Device | null> {
  const rows = await db.device.findMany({ where: { key } });
  const [device = null] = await deviceViews(db, rows);
  return device;
}

async function deviceViews(
  db: PrismaClient,
  rows: readonly Prisma.DeviceGetPayload<object>[],
): Promise<Device[]> {
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
    const countOf = (state: (typeof runs)[number]['state']) =>
      sum(runs, (some) => (some.deviceKey === row.key && some.state === state ? some._count : 0));
    const { architecture, backend, describedBy, name: device, runtime, vendor } = row;
    return {
      ...deviceRef(row),
      identity: { vendor, architecture, device, backend, runtime, class: row.class },
      ...{ hardware: row.hardware, engine: row.engine },
      capabilities: fromJson(row.capabilities),
      workers: workers.get(row.key)?.workers ?? 0,
      pending: countOf('pending'),
      results: countOf('measured'),
      isImportedOnly: describedBy === null,
      firstSeenAt: row.firstSeenAt.toISOString(),
      lastSeenAt: row.lastSeenAt.toISOString(),
    };
  });
}
