import { Prisma, type PrismaClient } from '@tilemark/db';
import type { Worker } from '../../../api/api';
import { deviceRefOf } from '../columns';
import { withIsoDates } from '../database';
import { isLost } from './lost';

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
    AND next."attachedAt" > w."attachedAt"`;

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
