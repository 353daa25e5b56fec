import { Prisma, type PrismaClient } from '@tilemark/db';
import { sumOrNull } from '../../plan/counts';
import type { DeviceQueue, Worker } from '../../view/api';
import { withIsoDates } from './database';
import { pendingRuns } from './paces';

/** A worker that has sent no heartbeat for this long is lost; live ones send several within it. */
export const LOST_AFTER_MS = 20_000;

/** A lost worker stays listed this long, so that someone notices. */
const LISTED_WHEN_LOST = '1 day';

/** The window for rates. */
const RECENTLY = Prisma.sql`now() - interval '1 hour'`;

/**
 * The row under which a lost worker `w` came back without remembering its own. Its token must
 * match: two machines may share a name, and their tokens tell them apart.
 */
const SUCCESSOR = Prisma.sql`
  SELECT FROM "Worker" AS next
  WHERE next."deviceKey" = w."deviceKey" AND next."name" = w."name" AND next."host" = w."host"
    AND next."tokenId" IS NOT DISTINCT FROM w."tokenId"
    AND next."attachedAt" > w."attachedAt" AND next."detachedAt" IS NULL`;

/** A row of "Device" as views refer to it. */
export const deviceRefOf = (alias: string): Prisma.Sql => {
  const column = (name: string) => Prisma.raw(`${alias}."${name}"`);
  return Prisma.sql`jsonb_build_object('key', ${column('key')}, 'name', ${column('name')},
    'class', ${column('class')}) AS "device"`;
};

/** Attached workers, or the one with the id: what each is doing, and did in the last hour. */
export async function listWorkers(db: PrismaClient, id?: string): Promise<Worker[]> {
  const rows = await db.$queryRaw<
    (Omit<Worker, 'lastHeartbeatAt' | 'attachedAt'> &
      Record<'lastHeartbeatAt' | 'attachedAt', Date>)[]
  >`
    SELECT w."id", w."name", w."host", w."version", ${deviceRefOf('d')}, w."wanted"::text,
      w."contributed",
      CASE WHEN ${isLost('w')} THEN 'lost' ELSE w."state"::text END AS "state",
      (SELECT t."name" FROM "Token" AS t WHERE t."id" = w."tokenId") AS "token",
      (SELECT jsonb_build_object('ended', count(*), 'failed', count(*) FILTER (WHERE r."state" = 'failed'))
        FROM "Result" AS result JOIN "Run" AS r ON r."id" = result."runId"
        WHERE result."workerId" = w."id" AND result."recordedAt" > ${RECENTLY}) AS "lastHour",
      (SELECT jsonb_build_object('id', r."id", 'address', r."address", 'shape', r."shape",
          'dtype', r."dtype", 'sweep', jsonb_build_object('id', s."id", 'name', s."name"))
        FROM "Run" AS r JOIN "Sweep" AS s ON s."id" = r."sweepId"
        WHERE r."deviceKey" = d."key" AND r."state" = 'running' AND r."workerId" = w."id"
          AND NOT s."unlisted" LIMIT 1) AS "run",
      w."lastHeartbeatAt", w."attachedAt"
    FROM "Worker" AS w JOIN "Device" AS d ON d."key" = w."deviceKey"
    WHERE w."detachedAt" IS NULL
      AND w."lastHeartbeatAt" > now() - ${LISTED_WHEN_LOST}::interval
      AND NOT (${isLost('w')} AND EXISTS (${SUCCESSOR}))
      AND ${id === undefined ? Prisma.sql`true` : Prisma.sql`w."id" = ${id}`}
    ORDER BY w."host", w."name", w."attachedAt"`;
  return rows.map(withIsoDates);
}

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
  const busy = queues.filter(({ serving, waiting }) => serving > 0 && waiting > 0);
  const pending = await pendingRuns(
    db,
    busy.map(({ device }) => device.key),
  );
  return queues.map((queue) => {
    const runs = pending.filter(({ deviceKey }) => deviceKey === queue.device.key);
    const ms = queue.serving > 0 ? sumOrNull(runs.map(({ ms }) => ms)) : null;
    return { ...queue, etaMs: ms && Math.round(ms / queue.serving) };
  });
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
