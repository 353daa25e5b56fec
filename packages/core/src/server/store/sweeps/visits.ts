import type { PrismaClient } from '@tilemark/db';
import { group } from 'd3-array';
import { type Software, softwareOf } from '../../../api/change';
import type { Environment } from '../../../measure/device';

/** The sentinel visits a device so often under each version of its software. */
export const VISITS = 3;

/** One sweep of the sentinel on a device, started by the grid. */
export interface Visit {
  readonly sweepId: string;
  readonly createdAt: Date;
  readonly isDone: boolean;
  /** What its last result was measured with; null: none yet. */
  readonly software: Software | null;
}

interface VisitRow extends Omit<Visit, 'software'>, Pick<Environment, 'runtimeVersions'> {
  readonly key: string;
  readonly driver: string | null;
}

/** The newest visits of each device, newest first; devices without one are absent. */
export async function visitsOf(
  db: PrismaClient,
  deviceKeys: readonly string[],
): Promise<Map<string, Visit[]>> {
  const rows = await db.$queryRaw<VisitRow[]>`
    SELECT device."key", visit.* FROM unnest(${[...deviceKeys]}::text[]) AS device("key")
    CROSS JOIN LATERAL (
      SELECT s."id" AS "sweepId", s."createdAt",
        NOT EXISTS (SELECT FROM "Run" AS r WHERE r."sweepId" = s."id"
          AND r."state" IN ('pending', 'running')) AS "isDone",
        environment."content"->>'driver' AS "driver",
        environment."content"->'runtimeVersions' AS "runtimeVersions"
      FROM "Sweep" AS s LEFT JOIN LATERAL (
        SELECT e."content" FROM "Run" AS r JOIN "Result" AS result ON result."runId" = r."id"
        JOIN "Environment" AS e ON e."hash" = result."environmentHash"
        WHERE r."sweepId" = s."id" ORDER BY result."id" DESC LIMIT 1) AS environment ON true
      WHERE s."sentinel" AND s."background" AND s."deviceKeys" @> ARRAY[device."key"]
      ORDER BY s."id" DESC LIMIT ${VISITS}) AS visit`;
  const visits = rows.map(({ driver, runtimeVersions, ...visit }) => ({
    ...visit,
    software: driver === null ? null : softwareOf({ driver, runtimeVersions }),
  }));
  return group(visits, ({ key }) => key);
}
