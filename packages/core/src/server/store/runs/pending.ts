import type { PrismaClient } from '@tilemark/db';

/** Rows per page of `pendingRuns`. */
const BATCH = 5_000;

/** Pending runs with the device they wait for: what the queue must contain. */
export async function* pendingRuns(
  db: PrismaClient,
): AsyncGenerator<{ id: string; deviceKey: string; background: boolean }> {
  let after = '';
  for (;;) {
    const rows = await db.$queryRaw<{ id: string; deviceKey: string; background: boolean }[]>`
      SELECT r."id", r."deviceKey", s."background"
      FROM "Run" AS r JOIN "Sweep" AS s ON s."id" = r."sweepId"
      WHERE r."state" = 'pending' AND s."cancelledAt" IS NULL AND r."id" > ${after}
      ORDER BY r."id" LIMIT ${BATCH}`;
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return;
    after = last.id;
  }
}
