import { Prisma, type PrismaClient } from '@tilemark/db';
import type { Dtype } from '@tilemark/kernels';
import type { DeviceClass } from '../../measure/device';
import type { DeviceQueue, WantedState, Worker } from '../../view/api';

/** A worker that has sent no heartbeat for this long is lost; live ones send several within it. */
export const LOST_AFTER_MS = 20_000;

/** A lost worker stays listed this long, so that someone notices. */
const LISTED_WHEN_LOST = '1 day';

/** The window for rates and estimates. */
const RECENTLY = Prisma.sql`now() - interval '1 hour'`;

interface WorkerRow {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly version: string;
  readonly state: Worker['state'];
  readonly wanted: WantedState;
  readonly token: string | null;
  readonly lastHeartbeatAt: Date;
  readonly attachedAt: Date;
  readonly deviceKey: string;
  readonly deviceName: string;
  readonly deviceClass: DeviceClass;
  readonly ended: number;
  readonly failed: number;
  readonly runId: string | null;
  readonly address: string;
  readonly shape: string;
  readonly dtype: Dtype;
  readonly sweepId: string;
  readonly sweepName: string;
}

/**
 * The row under which a lost worker `w` came back without remembering its own. Its token must
 * match: two machines may share a name, and their tokens tell them apart.
 */
const SUCCESSOR = Prisma.sql`
  SELECT FROM "Worker" AS next
  WHERE next."deviceKey" = w."deviceKey" AND next."name" = w."name" AND next."host" = w."host"
    AND next."tokenId" IS NOT DISTINCT FROM w."tokenId"
    AND next."attachedAt" > w."attachedAt" AND next."detachedAt" IS NULL`;

/** Attached workers, or the one with the id: what each is doing, and did in the last hour. */
export async function listWorkers(db: PrismaClient, id?: string): Promise<Worker[]> {
  const rows = await db.$queryRaw<WorkerRow[]>`
    SELECT w."id", w."name", w."host", w."version", w."wanted"::text, w."lastHeartbeatAt",
      w."attachedAt", CASE WHEN ${isLost('w')} THEN 'lost' ELSE w."state"::text END AS "state",
      (SELECT t."name" FROM "Token" AS t WHERE t."id" = w."tokenId") AS "token",
      d."key" AS "deviceKey", d."name" AS "deviceName", d."class"::text AS "deviceClass",
      hour.*, run.*
    FROM "Worker" AS w
    JOIN "Device" AS d ON d."key" = w."deviceKey"
    LEFT JOIN LATERAL (
      SELECT r."id" AS "runId", r."address", r."shape", r."dtype",
        s."id" AS "sweepId", s."name" AS "sweepName"
      FROM "Run" AS r JOIN "Sweep" AS s ON s."id" = r."sweepId"
      WHERE r."deviceKey" = d."key" AND r."state" = 'running' AND r."workerId" = w."id"
      LIMIT 1) AS run ON true
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS "ended",
        (count(*) FILTER (WHERE r."state" = 'failed'))::int AS "failed"
      FROM "Result" AS result JOIN "Run" AS r ON r."id" = result."runId"
      WHERE result."workerId" = w."id" AND result."recordedAt" > ${RECENTLY}) AS hour
    WHERE w."detachedAt" IS NULL
      AND w."lastHeartbeatAt" > now() - ${LISTED_WHEN_LOST}::interval
      AND NOT (${isLost('w')} AND EXISTS (${SUCCESSOR}))
      AND ${id === undefined ? Prisma.sql`true` : Prisma.sql`w."id" = ${id}`}
    ORDER BY w."host", w."name", w."attachedAt"`;
  return rows.map(workerView);
}

const workerView = (row: WorkerRow): Worker => ({
  id: row.id,
  name: row.name,
  host: row.host,
  version: row.version,
  device: { key: row.deviceKey, name: row.deviceName, class: row.deviceClass },
  state: row.state,
  wanted: row.wanted,
  run:
    row.runId === null
      ? null
      : {
          id: row.runId,
          address: row.address,
          shape: row.shape,
          dtype: row.dtype,
          sweep: { id: row.sweepId, name: row.sweepName },
        },
  lastHour: { ended: row.ended, failed: row.failed },
  token: row.token,
  lastHeartbeatAt: row.lastHeartbeatAt.toISOString(),
  attachedAt: row.attachedAt.toISOString(),
});

interface QueueRow {
  readonly key: string;
  readonly name: string;
  readonly class: DeviceClass;
  readonly workers: number;
  readonly serving: number;
  readonly waiting: number;
  /** Over the runs that ended in the last hour; null if none did. */
  readonly meanRunMs: number | null;
}

/** Every device that has a worker, or runs waiting. */
export async function listQueues(db: PrismaClient): Promise<DeviceQueue[]> {
  const rows = await db.$queryRaw<QueueRow[]>`
    SELECT d."key", d."name", d."class"::text, fleet.*, pending.*, took.*
    FROM "Device" AS d
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS "workers",
        (count(*) FILTER (WHERE w."wanted" = 'working'))::int AS "serving"
      FROM "Worker" AS w WHERE w."deviceKey" = d."key" AND NOT ${isLost('w')}) AS fleet
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS "waiting"
      FROM "Run" AS r WHERE r."deviceKey" = d."key" AND r."state" = 'pending') AS pending
    CROSS JOIN LATERAL (
      SELECT (avg(extract(epoch FROM result."recordedAt" - r."claimedAt")) * 1000)::float8
        AS "meanRunMs"
      FROM "Worker" AS w
      JOIN "Result" AS result ON result."workerId" = w."id" AND result."recordedAt" > ${RECENTLY}
      JOIN "Run" AS r ON r."id" = result."runId"
      WHERE w."deviceKey" = d."key" AND w."lastHeartbeatAt" > ${RECENTLY}) AS took
    WHERE fleet."workers" > 0 OR pending."waiting" > 0
    ORDER BY d."name", d."key"`;
  return rows.map(({ key, name, class: kind, meanRunMs, ...counts }) => ({
    device: { key, name, class: kind },
    ...counts,
    etaMs:
      meanRunMs === null || counts.serving === 0
        ? null
        : Math.round((counts.waiting * meanRunMs) / counts.serving),
  }));
}

/**
 * SQL condition on a row of "Worker": detached, or silent for too long by the database's clock,
 * which also stamps the heartbeats. A heartbeat from the future was stamped before that clock was
 * set back: a live worker sends another within seconds, and a dead one must not count as alive
 * until then.
 */
export const isLost = (alias: 'w' | 'holder' | 'other'): Prisma.Sql => {
  const worker = Prisma.raw(`"${alias}"`);
  return Prisma.sql`(${worker}."detachedAt" IS NOT NULL
    OR abs(extract(epoch FROM now() - ${worker}."lastHeartbeatAt")) * 1000 > ${LOST_AFTER_MS})`;
};
