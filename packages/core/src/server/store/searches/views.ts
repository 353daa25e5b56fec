import type { Prisma, PrismaClient } from '@tilemark/db';
import type { Tuning } from '../../../api/api';
import type { TuningDecision, TuningRequest } from '../../../api/tuning';
import { fromJson } from '../database';

interface Progress extends Pick<Tuning, 'tried' | 'usedSeconds'> {
  readonly sweepId: string;
}

/** What sweeps that are searches show of them, by id. */
export async function views(
  db: PrismaClient | Prisma.TransactionClient,
  sweeps: readonly Prisma.SweepGetPayload<object>[],
): Promise<ReadonlyMap<string, Tuning>> {
  const searches = sweeps.filter(({ tuning }) => tuning !== null);
  if (searches.length === 0) return new Map();
  const rows = await db.$queryRaw<Progress[]>`
    SELECT "sweepId", coalesce(sum(extract(epoch FROM "endedAt" - "beganAt")), 0)::float8
        AS "usedSeconds",
      count(*) FILTER (WHERE "policy" = 'screen' AND "rival" IS NULL AND NOT "isSearch"
        AND "state" IN ('measured', 'incorrect', 'failed'))::int AS "tried"
    FROM "Run" WHERE "sweepId" = ANY(${searches.map(({ id }) => id)}) GROUP BY 1`;
  return new Map(
    searches.map(({ decision, id, tuning }) => {
      const { tried = 0, usedSeconds = 0 } = rows.find(({ sweepId }) => sweepId === id) ?? {};
      return [
        id,
        {
          ...fromJson<TuningRequest>(tuning),
          tried,
          usedSeconds,
          decision: decision === null ? null : fromJson<TuningDecision>(decision),
        },
      ];
    }),
  );
}
