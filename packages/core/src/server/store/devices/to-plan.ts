import type { PrismaClient } from '@tilemark/db';
import type { Device } from '../../../api/api';
import { fromJson } from '../database';
import { deviceRef } from '../run-view';
import { isTrusted } from '../trust';
import { isLost } from '../workers/lost';

/** A device as sweeps are planned for it. */
export type DeviceToPlan = Pick<Device, 'key' | 'name' | 'class' | 'capabilities' | 'workers'> & {
  /** Of its workers, those that run contributed kernels. */
  readonly contributed: number;
  /** Of its workers, the trusted ones. */
  readonly trusted: number;
  /** As its runtime tells it. */
  readonly architecture: string;
  readonly firstSeenAt: Date;
};

/** Every device, or those of these keys, as sweeps are planned for it; does not count its runs. */
export async function devicesToPlan(
  db: PrismaClient,
  keys: readonly string[] | null = null,
): Promise<DeviceToPlan[]> {
  const where = keys ? { key: { in: [...keys] } } : {};
  const rows = await db.device.findMany({ where, orderBy: { key: 'asc' } });
  const workers = await workersByDevice(db, keys);
  return rows.map((row) => ({
    ...deviceRef(row),
    capabilities: fromJson(row.capabilities),
    architecture: row.architecture,
    firstSeenAt: row.firstSeenAt,
    ...(workers.get(row.key) ?? { workers: 0, trusted: 0, contributed: 0 }),
  }));
}

/** Workers per device that are not lost; null: of every device. */
export async function workersByDevice(db: PrismaClient, keys: readonly string[] | null) {
  const rows = await db.$queryRaw<
    (Pick<DeviceToPlan, 'workers' | 'trusted' | 'contributed'> & { deviceKey: string })[]
  >`
    SELECT "deviceKey", count(*)::int AS "workers",
      (count(*) FILTER (WHERE ${isTrusted('w')}))::int AS "trusted",
      (count(*) FILTER (WHERE "contributed"))::int AS "contributed" FROM "Worker" AS w
    WHERE (${keys}::text[] IS NULL OR "deviceKey" = ANY(${keys})) AND NOT ${isLost('w')}
    GROUP BY "deviceKey"`;
  return new Map(rows.map(({ deviceKey, ...counts }) => [deviceKey, counts]));
}
