import type { PrismaClient } from '@tilemark/db';

/** An estimate is the runs ahead times the device's median run. */

type Reader = Pick<PrismaClient, '$queryRaw'>;

/** Enough for a median, few enough to read for a form. */
const RECENT_RUNS = 300;

/** How long the median of a device's recent runs had its machine, s. Devices without one are absent. */
export async function runSecondsOf(
  db: Reader,
  keys: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const rows = await db.$queryRaw<{ deviceKey: string; seconds: number }[]>`
    SELECT run."deviceKey", percentile_cont(0.5) WITHIN GROUP (
      ORDER BY extract(epoch FROM run."endedAt" - run."beganAt"))::float8 AS "seconds"
    FROM unnest(${[...keys]}::text[]) AS device(key)
    CROSS JOIN LATERAL (
      SELECT "deviceKey", "beganAt", "endedAt" FROM "Run"
      WHERE "deviceKey" = device.key AND "state" = 'measured' AND "beganAt" < "endedAt"
      ORDER BY "endedAt" DESC LIMIT ${RECENT_RUNS}) AS run
    GROUP BY 1`;
  return Object.fromEntries(rows.map(({ deviceKey, seconds }) => [deviceKey, seconds]));
}

/** Runs of a sweep that wait for a device. */
interface PendingCount {
  readonly deviceKey: string;
  readonly sweepId: string;
  readonly count: number;
}

/**
 * The runs that wait in the queues of these devices, as they take them: standard suites last, else sweep by
 * sweep.
 */
export const pendingCounts = (db: Reader, keys: readonly string[]): Promise<PendingCount[]> =>
  db.$queryRaw<PendingCount[]>`
    SELECT r."deviceKey", r."sweepId", count(*)::int AS "count"
    FROM "Run" AS r JOIN "Sweep" AS s ON s."id" = r."sweepId"
    WHERE r."state" = 'pending' AND r."deviceKey" = ANY (${[...keys]}::text[])
    GROUP BY s."background", 1, 2 ORDER BY s."background", r."sweepId"`;

/** How long so many runs may take a device's workers, ms; null: unknown. */
export const waitMs = (
  runs: number,
  seconds: number | undefined,
  workers: number,
): number | null => {
  if (runs === 0) return 0;
  return seconds !== undefined && workers > 0 ? Math.round((1e3 * seconds * runs) / workers) : null;
};
