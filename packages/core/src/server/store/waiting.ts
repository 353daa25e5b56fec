import type { PrismaClient } from '@tilemark/db';
import { sumOrNull } from '../../plan/counts';
import type { DeviceRef } from '../../view/api';
import { deviceRefOf, listQueues } from './fleet';
import { pendingRuns } from './paces';

/** Where the runs of some sweeps stand in the queue of a device. */
export interface Waiting {
  readonly device: DeviceRef;
  readonly runs: number;
  /** Whether a worker measures one of them now. */
  readonly isRunning: boolean;
  /** Runs that the device takes first. */
  readonly ahead: number;
  /** Whether a worker takes the device's runs. */
  readonly isServed: boolean;
  /** Until the first of them begins; null: unknown. */
  readonly startMs: number | null;
  /** Until the last of them ends; null: unknown. */
  readonly etaMs: number | null;
}

export async function waitingOf(db: PrismaClient, sweepIds: readonly string[]): Promise<Waiting[]> {
  const ids = [...sweepIds];
  const rows = await db.$queryRaw<{ device: DeviceRef; runs: number; isRunning: boolean }[]>`
    SELECT ${deviceRefOf('d')}, own."runs", own."isRunning"
    FROM "Device" AS d JOIN (
      SELECT "deviceKey", count(*)::int AS "runs", bool_or("state" = 'running') AS "isRunning"
      FROM "Run" WHERE "state" IN ('pending', 'running') AND "sweepId" = ANY (${ids}::text[])
      GROUP BY "deviceKey") AS own ON own."deviceKey" = d."key"
    ORDER BY d."name"`;
  if (rows.length === 0) return [];
  const [queues, pending] = await Promise.all([
    listQueues(db),
    pendingRuns(
      db,
      rows.map(({ device }) => device.key),
    ),
  ]);
  return rows.map(({ device, isRunning, runs }) => {
    const queue = pending.filter(({ deviceKey }) => deviceKey === device.key);
    const isOwn = ({ sweepId }: { readonly sweepId: string }) => ids.includes(sweepId);
    const first = queue.findIndex(isOwn);
    const before = queue.slice(0, Math.max(0, first));
    const upToLast = queue.slice(0, queue.findLastIndex(isOwn) + 1);
    const serving = queues.find((row) => row.device.key === device.key)?.serving ?? 0;
    const until = (parts: typeof queue) => {
      const ms = sumOrNull(parts.map(({ ms }) => ms));
      return serving > 0 && ms !== null ? ms / serving : null;
    };
    return {
      device,
      runs,
      isRunning,
      ahead: before.reduce((sum, { count }) => sum + count, 0),
      isServed: serving > 0,
      startMs: until(before),
      etaMs: until(upToLast),
    };
  });
}
