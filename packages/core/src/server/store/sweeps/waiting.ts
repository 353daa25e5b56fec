import type { PrismaClient } from '@tilemark/db';
import { sum } from 'd3-array';
import type { DeviceRef } from '../../../api/api';
import { deviceRefOf } from '../columns';
import { pendingCounts, runSecondsOf, waitMs } from '../estimates';
import { listQueues } from '../workers/queues';

/** The place of some sweeps' runs in the queue of a device. */
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
  const keys = rows.map(({ device }) => device.key);
  const [queues, pending, runSeconds] = await Promise.all([
    listQueues(db),
    pendingCounts(db, keys),
    runSecondsOf(db, keys),
  ]);
  return rows.map(({ device, isRunning, runs }) => {
    const queue = pending.filter(({ deviceKey }) => deviceKey === device.key);
    const isOwn = ({ sweepId }: { readonly sweepId: string }) => ids.includes(sweepId);
    const first = queue.findIndex(isOwn);
    const countOf = (parts: typeof queue) => sum(parts, ({ count }) => count);
    const ahead = countOf(queue.slice(0, Math.max(0, first)));
    const upToLast = countOf(queue.slice(0, queue.findLastIndex(isOwn) + 1));
    const serving = queues.find((row) => row.device.key === device.key)?.serving ?? 0;
    const until = (count: number) => waitMs(count, runSeconds[device.key], serving);
    return {
      device,
      runs,
      isRunning,
      ahead,
      isServed: serving > 0,
      startMs: until(ahead),
      etaMs: until(upToLast),
    };
  });
}
