import { Prisma } from '@tilemark/db';
import type { Judged } from '../record/write';

/**
 * Adds the runs that workers have measured for searches, each once, to be ended as all are. They take
 * the places of their searches, which move on; and a search that got on has lost no worker at it.
 * Returns the ids of those that were added: no other is one of a search.
 */
export async function add(
  tx: Prisma.TransactionClient,
  judged: readonly Judged[],
): Promise<Set<string>> {
  const rows = new Map(
    judged
      .flatMap(({ facts, record: { beganAt, endedAt, searchId, workerId } }, ordinal) => {
        if (searchId === undefined) return [];
        const { address, deviceKey, dtype, epilogue, id, kernel, op } = facts;
        const { contributed, policy, profile, rival, seed, shape, tunables } = facts;
        const asked = { address, deviceKey, dtype, epilogue, id, kernel, op };
        const row = {
          ...{ ...asked, contributed, policy, profile, rival, seed, shape, tunables, ordinal },
          ...{ state: 'running', workerId, claimedAt: beganAt ?? endedAt, attempts: 1 },
          // The search, until it is known whose sweep that is.
          sweepId: searchId,
          isSearch: false,
        };
        return [[id, row] as const];
      })
      .reverse(),
  );
  const [first] = rows.values();
  if (!first) return new Set();
  const { ordinal: _, sweepId: __, ...others } = first;
  const names = Object.keys(others);
  const columns = (row = '') => Prisma.raw(names.map((name) => `${row}"${name}"`).join(', '));
  const added = await tx.$queryRaw<{ id: string }[]>`
    WITH fresh AS MATERIALIZED (
      SELECT ${columns('run.')}, run."sweepId" AS "searchId",
        row_number() OVER (PARTITION BY run."sweepId" ORDER BY run."ordinal") - 1 AS "nth"
      FROM jsonb_populate_recordset(NULL::"Run", ${JSON.stringify([...rows.values()])}::jsonb) AS run
      WHERE NOT EXISTS (SELECT FROM "Run" AS there WHERE there."id" = run."id")),
    search AS (
      UPDATE "Run" AS search SET "ordinal" = search."ordinal" + asked."count",
        "attempts" = least(search."attempts", 1)
      FROM (SELECT "searchId", count(*)::int AS "count" FROM fresh GROUP BY 1) AS asked
      WHERE search."id" = asked."searchId" AND search."state" IN ('pending', 'running')
      RETURNING search."id", search."sweepId", search."ordinal" - asked."count" AS "first")
    INSERT INTO "Run" ("sweepId", "ordinal", ${columns()})
    SELECT search."sweepId", search."first" + run."nth", ${columns('run.')}
    FROM fresh AS run JOIN search ON search."id" = run."searchId"
    ON CONFLICT ("id") DO NOTHING
    RETURNING "id"`;
  return new Set(added.map(({ id }) => id));
}
