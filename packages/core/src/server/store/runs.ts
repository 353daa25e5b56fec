import { PREPARED, type Prisma, type PrismaClient } from '@tilemark/db';
import type { PolicyId } from '../../policy';
import type { ClaimedRun, Store } from '../store';
import { notifySweep } from './events';
import { fromJson } from './json';
import { isLost } from './lost';
import { newestOf } from './newest';
import { recordRun } from './record';
import { problemOf } from './run-view';

/** Rows of one page of `pending`. */
const BATCH = 5_000;

export function runsOf(db: PrismaClient): Store['runs'] {
  return {
    async claim(runId, workerId) {
      // One statement: of two workers that claim at once, Postgres lets one wait
      // for the other and then finds the condition false. The disk is waited for: an
      // enrolled worker may end only what it holds, so a crash of Postgres that forgot
      // the claim would have its result refused.
      const [row] = await db.$queryRaw<ClaimedRow[]>`
        ${PREPARED} WITH claimed AS (
          UPDATE "Run" AS r
          SET "state" = 'running', "workerId" = w."id", "attempts" = r."attempts" + 1,
            "claimedAt" = now()
          FROM "Worker" AS w, "Sweep" AS s
          WHERE r."id" = ${runId}
            AND w."id" = ${workerId} AND w."deviceKey" = r."deviceKey"
            AND s."id" = r."sweepId" AND s."cancelledAt" IS NULL
            AND (r."state" = 'pending' OR (r."state" = 'running' AND (
              r."workerId" = w."id"
              OR EXISTS (SELECT FROM "Worker" AS holder
                         WHERE holder."id" = r."workerId" AND ${isLost('holder')}))))
          RETURNING r."id", r."sweepId", r."deviceKey", r."kernel", r."tunables", r."op",
            r."shape", r."dtype", r."profile", r."policy", r."attempts"),
        busy AS (
          UPDATE "Worker" SET "state" = 'running', "lastHeartbeatAt" = now()
          FROM claimed WHERE "Worker"."id" = ${workerId})
        SELECT claimed.*,
          NOT EXISTS (
            SELECT FROM "Run" AS other
            WHERE other."sweepId" = claimed."sweepId" AND other."id" <> claimed."id"
              AND other."state" IN ('running', 'measured', 'skipped', 'incorrect', 'failed')
          ) AS "isFirst"
        FROM claimed`;
      if (!row) return null;
      // Later claims change nothing that is shown of a sweep.
      if (row.isFirst) await notifySweep(db, row.sweepId);
      return claimedRun(row);
    },

    async release(runId, workerId) {
      await db.$transaction(async (tx) => {
        const claimed = { id: runId, workerId, state: 'running' as const };
        await tx.run.deleteMany({ where: { ...claimed, sweep: { cancelledAt: { not: null } } } });
        await tx.run.updateMany({
          where: claimed,
          // The worker was not lost, so the attempt does not count.
          data: { state: 'pending', workerId: null, attempts: { decrement: 1 } },
        });
      });
    },

    record: (run) => recordRun(db, run),
    newest: newestOf(db),

    async byState() {
      const groups = await db.run.groupBy({ by: ['state'], _count: true });
      return Object.fromEntries(groups.map(({ state, _count }) => [state, _count]));
    },

    async *pending() {
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
    },

    // What is reclaimed keeps its holder's id: its result may be waiting in that worker's
    // journal, and an enrolled worker may end only what it holds.
    async reclaim() {
      const [dropped, reclaimed] = await db.$transaction([
        db.$queryRaw<InSweep[]>`
          DELETE FROM "Run" AS r USING "Sweep" AS s
          WHERE s."id" = r."sweepId" AND s."cancelledAt" IS NOT NULL
            AND (r."state" = 'pending' OR (r."state" = 'running' AND EXISTS (
              SELECT FROM "Worker" AS holder
              WHERE holder."id" = r."workerId" AND ${isLost('holder')})))
          RETURNING r."sweepId"`,
        db.$queryRaw<InSweep[]>`
          UPDATE "Run" AS r SET "state" = 'pending'
          FROM "Worker" AS holder
          WHERE r."state" = 'running' AND holder."id" = r."workerId" AND ${isLost('holder')}
          RETURNING r."sweepId"`,
      ]);
      const touched = new Set([...dropped, ...reclaimed].map(({ sweepId }) => sweepId));
      for (const sweepId of touched) await notifySweep(db, sweepId);
      return { reclaimed: reclaimed.length, dropped: dropped.length };
    },
  };
}

type InSweep = Pick<Prisma.RunGetPayload<object>, 'sweepId'>;

type ClaimedRow = Pick<
  Prisma.RunGetPayload<object>,
  | 'id'
  | 'sweepId'
  | 'deviceKey'
  | 'kernel'
  | 'tunables'
  | 'op'
  | 'shape'
  | 'dtype'
  | 'profile'
  | 'policy'
  | 'attempts'
> & { readonly isFirst: boolean };

const claimedRun = (row: ClaimedRow): ClaimedRun => ({
  id: row.id,
  deviceKey: row.deviceKey,
  variant: { kernel: row.kernel, tunables: fromJson(row.tunables) },
  problem: problemOf(row),
  profile: row.profile,
  policy: row.policy as PolicyId,
  attempt: row.attempts,
});
