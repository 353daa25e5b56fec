import type { PrismaClient } from '@tilemark/db';
import { notifySweep } from '../notices';
import { isLost } from '../workers/lost';

/**
 * Returns runs claimed by lost workers to pending; drops leftovers of cancelled sweeps. Reclaimed runs
 * keep their worker's id: the result may be waiting in its journal, and a worker elsewhere may end only
 * what it has claimed.
 */
export async function reclaimRuns(
  db: PrismaClient,
): Promise<{ reclaimed: number; dropped: number }> {
  const [dropped, reclaimed] = await db.$transaction([
    db.$queryRaw<{ sweepId: string }[]>`
      DELETE FROM "Run" AS r USING "Sweep" AS s
      WHERE s."id" = r."sweepId" AND s."cancelledAt" IS NOT NULL
        AND (r."state" = 'pending' OR (r."state" = 'running' AND EXISTS (
          SELECT FROM "Worker" AS holder
          WHERE holder."id" = r."workerId" AND ${isLost('holder')})))
      RETURNING r."sweepId"`,
    db.$queryRaw<{ sweepId: string }[]>`
      UPDATE "Run" AS r SET "state" = 'pending'
      FROM "Worker" AS holder
      WHERE r."state" = 'running' AND holder."id" = r."workerId" AND ${isLost('holder')}
      RETURNING r."sweepId"`,
  ]);
  const touched = new Set([...dropped, ...reclaimed].map(({ sweepId }) => sweepId));
  for (const sweepId of touched) await notifySweep(db, sweepId);
  return { reclaimed: reclaimed.length, dropped: dropped.length };
}
