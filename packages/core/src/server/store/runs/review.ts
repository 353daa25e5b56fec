import { PREPARED, type PrismaClient } from '@tilemark/db';
import { group } from 'd3-array';

import { releaseRun } from './release';

/** A claim has reached its worker, or never will, by now, ms. */
const UNHEARD_MS = 15_000;

/** A run held for longer goes to another, whatever the heartbeats say: no run takes a tenth of it, ms. */
const LONGEST_HELD_MS = 3_600_000;

/** Overdue runs per worker and look. */
const BATCH = 5_000;

/** The runs that a worker says it has. */
interface HeldBy {
  readonly workerId: string;
  readonly deviceKey: string;
  readonly runs: readonly string[];
}

/**
 * Compares workers' runs with those that they say they have. `lost`: those that are not the
 * worker's own any more, or whose sweep was cancelled; `released`: claimed by it some time ago, but the claim has not reached it,
 * or held for too long.
 */
export async function reviewRuns(
  db: PrismaClient,
  asked: readonly HeldBy[],
): Promise<{ lost: string[]; released: string[] }[]> {
  const told = asked.flatMap(({ runs }) => runs);
  const workerIds = asked.map(({ workerId }) => workerId);
  const deviceKeys = asked.map(({ deviceKey }) => deviceKey);
  const rows = await db.$queryRaw<
    { id: string; workerId: string | null; isTold: boolean; isOverdue: boolean }[]
  >`
    ${PREPARED} SELECT r."id", r."workerId", true AS "isTold", false AS "isOverdue"
    FROM "Run" AS r WHERE r."id" = ANY (${told}::text[]) AND r."endedAt" IS NULL
      AND (SELECT s."cancelledAt" FROM "Sweep" AS s WHERE s."id" = r."sweepId") IS NULL
    UNION ALL SELECT r.*
    FROM unnest(${workerIds}::text[], ${deviceKeys}::text[]) AS w("id", "deviceKey")
    CROSS JOIN LATERAL (
      SELECT r."id", r."workerId", false,
        r."claimedAt" < now() - ${LONGEST_HELD_MS} * interval '1 ms'
      FROM "Run" AS r
      WHERE r."deviceKey" = w."deviceKey" AND r."state" = 'running' AND r."workerId" = w."id"
        AND r."claimedAt" < now() - ${UNHEARD_MS} * interval '1 ms' LIMIT ${BATCH}) AS r`;
  const heldBy = new Map(rows.flatMap((row) => (row.isTold ? [[row.id, row.workerId]] : [])));
  const overdue = new Set(rows.flatMap(({ id, isOverdue }) => (isOverdue ? [id] : [])));
  const waitedFor = group(
    rows.filter((row) => !row.isTold),
    ({ workerId }) => workerId,
  );
  return Promise.all(
    asked.map(async ({ runs, workerId }) => {
      const has = new Set(runs);
      const released = (waitedFor.get(workerId) ?? []).flatMap(({ id, isOverdue }) =>
        has.has(id) && !isOverdue ? [] : [id],
      );
      for (const id of released) {
        await releaseRun(db, id, workerId);
      }
      const isLostTo = (id: string) => heldBy.get(id) !== workerId || overdue.has(id);
      return { lost: runs.filter(isLostTo), released };
    }),
  );
}
