import type { PrismaClient } from '@tilemark/db';
import { isKnownProblem, type OpId, parseProblem } from '@tilemark/kernels';
import { estimateOf, type Pace } from '../../plan/counts';

/** Enough to estimate a device's pace, few enough to read for a form. */
const RECENT_RUNS = 300;

/** A longer gap between two ends means the device was idle, s. */
const LONGEST_RUN_S = 300;

/**
 * How long recent runs took on these devices, by op, shape and policy: from the end of its worker's
 * run before it in the sweep, or from when the worker took it, whichever is later.
 */
export async function pacesOf(
  db: Pick<PrismaClient, '$queryRaw'>,
  keys: readonly string[],
): Promise<Pace[]> {
  if (keys.length === 0) return [];
  return db.$queryRaw<Pace[]>`
    SELECT "deviceKey", "op", "shape", "policy", avg("seconds") AS "seconds"
    FROM (
      SELECT run.*, least(
        extract(epoch FROM run."endedAt" - lag(run."endedAt") OVER (
          PARTITION BY run."deviceKey", run."sweepId", result."workerId" ORDER BY run."endedAt")),
        extract(epoch FROM result."recordedAt" - run."claimedAt"))::float8 AS "seconds"
      FROM unnest(${[...keys]}::text[]) AS device(key)
      CROSS JOIN LATERAL (
        SELECT "id", "deviceKey", "sweepId", "op", "shape", "policy", "claimedAt", "endedAt"
        FROM "Run" WHERE "deviceKey" = device.key AND "state" = 'measured'
        ORDER BY "endedAt" DESC LIMIT ${RECENT_RUNS}
      ) AS run
      JOIN "Result" AS result ON result."runId" = run."id"
    ) AS timed
    WHERE "seconds" > 0 AND "seconds" < ${LONGEST_RUN_S}
    GROUP BY "deviceKey", "op", "shape", "policy"`;
}

/** Runs of a sweep that wait for a device, of one problem and policy. */
interface PendingRuns {
  readonly deviceKey: string;
  readonly sweepId: string;
  readonly count: number;
  /** What all of them take; null: unknown. */
  readonly ms: number | null;
}

/** What waits in the queues of these devices, as they take it: standard suites last, else sweep by sweep. */
export async function pendingRuns(
  db: Pick<PrismaClient, '$queryRaw'>,
  keys: readonly string[],
): Promise<PendingRuns[]> {
  if (keys.length === 0) return [];
  const rows = await db.$queryRaw<
    (Omit<PendingRuns, 'ms'> & { op: OpId; shape: string; policy: string })[]
  >`
    SELECT r."deviceKey", r."sweepId", r."op", r."shape", r."policy", count(*)::int AS "count"
    FROM "Run" AS r JOIN "Sweep" AS s ON s."id" = r."sweepId"
    WHERE r."state" = 'pending' AND r."deviceKey" = ANY (${[...keys]}::text[])
    GROUP BY s."background", 1, 2, 3, 4, 5 ORDER BY s."background", r."sweepId"`;
  const paces = await pacesOf(db, keys);
  return rows.map(({ op, policy, shape, ...runs }) => {
    const row = { op, shape, dtype: 'f32' as const };
    const problem = isKnownProblem(row) ? parseProblem(row) : null;
    const { count, deviceKey } = runs;
    const seconds = problem && estimateOf({ deviceKey, problem, policy }, paces);
    return { ...runs, ms: seconds && seconds * 1e3 * count };
  });
}
