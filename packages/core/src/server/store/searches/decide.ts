import type { PrismaClient } from '@tilemark/db';
import type { TuningDecision } from '../../../api/tuning';
import { Refused } from '../../../link/link';
import { STANDING } from '../columns';
import { notifySweep } from '../notices';
import { mayAnswer } from '../trust';

/** Ends a search that its worker has decided. Throws Refused. */
export async function decide(
  db: PrismaClient,
  { runId, workerId }: { readonly runId: string; readonly workerId: string },
  decision: TuningDecision,
): Promise<void> {
  const [sweep] = await db.$queryRaw<{ id: string }[]>`
    WITH search AS (
      DELETE FROM "Run" AS search USING "Worker" AS w, "Sweep" AS sweep
      WHERE search."id" = ${runId} AND search."isSearch" AND search."state" = 'running'
        AND search."workerId" = ${workerId} AND w."id" = search."workerId"
        AND sweep."id" = search."sweepId" AND sweep."cancelledAt" IS NULL
        AND ${mayAnswer('w', 'sweep')}
        AND (${decision.winner}::text IS NULL OR EXISTS (
          SELECT FROM "Run" AS winner JOIN "Result" AS result ON result."runId" = winner."id"
          WHERE winner."sweepId" = search."sweepId" AND winner."address" = ${decision.winner}
            AND winner."state" = 'measured' AND winner."policy" = 'default'
            AND winner."rival" IS NULL AND NOT winner."isSearch"
            AND result."standing" <> ${STANDING.disbelieved}))
      RETURNING search."sweepId")
    UPDATE "Sweep" SET "decision" = ${JSON.stringify(decision)}::jsonb
    FROM search WHERE "Sweep"."id" = search."sweepId" RETURNING "Sweep"."id"`;
  if (sweep) return notifySweep(db, sweep.id);
  throw new Refused(
    `Run ${runId} is not a search that this worker has, or its winner was not measured in full.`,
    'run',
  );
}
