import type { PrismaClient } from '@tilemark/db';
import type { DeviceQueue } from '../../../api/api';
import { deviceRefOf } from '../columns';
import { runSecondsOf, waitMs } from '../estimates';
import { isLost } from './lost';

/** Every device that has a worker, or runs waiting. */
export async function listQueues(db: PrismaClient): Promise<DeviceQueue[]> {
  const queues = await db.$queryRaw<Omit<DeviceQueue, 'etaMs'>[]>`
    SELECT ${deviceRefOf('d')}, fleet.*, pending.*
    FROM "Device" AS d
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS "workers",
        (count(*) FILTER (WHERE w."wanted" = 'working'))::int AS "serving"
      FROM "Worker" AS w WHERE w."deviceKey" = d."key" AND NOT ${isLost('w')}) AS fleet
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS "waiting"
      FROM "Run" AS r WHERE r."deviceKey" = d."key" AND r."state" = 'pending') AS pending
    WHERE fleet."workers" > 0 OR pending."waiting" > 0
    ORDER BY d."name", d."key"`;
  const runSeconds = await runSecondsOf(
    db,
    queues.filter(({ serving, waiting }) => serving > 0 && waiting > 0).map((q) => q.device.key),
  );
  return queues.map((queue) => {
    const { device, serving, waiting } = queue;
    return { ...queue, etaMs: waitMs(waiting, runSeconds[device.key], serving) };
  });
}
