import type { PrismaClient } from '@tilemark/db';
import { notifySweep } from '../notices';

/**
 * Gives a claimed run back to pending, or drops it if its sweep was cancelled: it has not ended. A search
 * keeps its worker's id: what was measured for it may be waiting in that one's journal.
 */
export async function releaseRun(db: PrismaClient, runId: string, workerId: string): Promise<void> {
  await db.$transaction(async (tx) => {
    const [dropped] = await tx.$queryRaw<{ sweepId: string }[]>`
      DELETE FROM "Run" AS r USING "Sweep" AS s
      WHERE r."id" = ${runId} AND r."workerId" = ${workerId} AND r."state" = 'running'
        AND s."id" = r."sweepId" AND s."cancelledAt" IS NOT NULL
      RETURNING r."sweepId"`;
    if (dropped) return notifySweep(tx, dropped.sweepId);
    // The worker was not lost, so this attempt does not count.
    await tx.$executeRaw`
      UPDATE "Run" SET "state" = 'pending', "attempts" = "attempts" - 1,
        "workerId" = CASE WHEN "isSearch" THEN "workerId" END
      WHERE "id" = ${runId} AND "workerId" = ${workerId} AND "state" = 'running'`;
  });
}
