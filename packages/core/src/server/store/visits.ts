import { Prisma, type PrismaClient } from '@tilemark/db';
import { ifValid, isKnownProblem, parseProblem, parseVariant } from '@tilemark/kernels';
import type { Environment } from '../../measure/device';
import { METHODOLOGY_VERSION } from '../../measure/outcome';
import { onlyValues, type SweepCase } from '../../plan/spec';
import { SENTINEL } from '../../suites/sentinel';
import { type Software, softwareOf } from '../../view/alarm';
import { isQuotable } from '../gate/parties';
import type { VariantBest } from './columns';

/** Visits of the sentinel, and what it watches on a device beside its suite. */

/** Whether a sweep `s` is the sentinel's. */
export const OF_SENTINEL = Prisma.sql`s."suite" LIKE ${`${SENTINEL}@%`}`;

/** How the sentinel stands on a device. */
export interface Visits {
  readonly count: number;
  /** The newest. */
  readonly sweepId: string;
  readonly createdAt: Date;
  readonly isDone: boolean;
  /** What its last result was measured with; null: none yet. */
  readonly software: Software | null;
  /** When the one before began; null: there is none. */
  readonly previousAt: Date | null;
}

interface VisitRow extends Pick<Environment, 'runtimeVersions'> {
  readonly key: string;
  readonly driver: string | null;
}

/** A dispatch that takes longer is not watched: the sentinel is to take minutes, ns. */
const LONGEST_WATCHED_NS = 50e6;

export function visitsOf(db: PrismaClient) {
  return {
    /** How the sentinel stands on each of some devices; those that it has never visited are absent. */
    async on(deviceKeys: readonly string[]): Promise<Map<string, Visits>> {
      const rows = await db.$queryRaw<(Omit<Visits, 'software'> & VisitRow)[]>`
        SELECT DISTINCT ON (visited."key") visited."key", s."id" AS "sweepId", s."createdAt",
          count(*) OVER of_device AS "count", lead(s."createdAt") OVER of_device AS "previousAt",
          NOT EXISTS (SELECT FROM "Run" AS r WHERE r."sweepId" = s."id"
            AND r."state" IN ('pending', 'running')) AS "isDone",
          environment."content"->>'driver' AS "driver",
          environment."content"->'runtimeVersions' AS "runtimeVersions"
        FROM "Sweep" AS s CROSS JOIN unnest(s."deviceKeys") AS visited("key")
        LEFT JOIN LATERAL (
          SELECT e."content" FROM "Run" AS r JOIN "Result" AS result ON result."runId" = r."id"
          JOIN "Environment" AS e ON e."hash" = result."environmentHash"
          WHERE r."sweepId" = s."id" ORDER BY result."id" DESC LIMIT 1) AS environment ON true
        WHERE ${OF_SENTINEL} AND visited."key" = ANY (${[...deviceKeys]}::text[])
          AND s."idempotencyKey" LIKE ${`${SENTINEL}@%`}
        WINDOW of_device AS (PARTITION BY visited."key" ORDER BY s."id" DESC
          ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
        ORDER BY visited."key", s."id" DESC`;
      return new Map(
        rows.map(({ driver, key, runtimeVersions, ...visits }) => [
          key,
          {
            ...visits,
            count: Number(visits.count),
            software: driver === null ? null : softwareOf({ driver, runtimeVersions }),
          },
        ]),
      );
    },

    /** What a device runs fastest, in f32 and every other dtype it knows: cases to watch beside the suite's. */
    async cases(deviceKey: string): Promise<SweepCase[]> {
      const rows = await db.$queryRaw<VariantBest[]>`
        SELECT DISTINCT ON (best."op", best."dtype") best.* FROM "VariantBest" AS best
        JOIN "Result" AS result ON result."id" = best."resultId"
        JOIN "Device" AS device ON device."key" = best."deviceKey"
        WHERE best."deviceKey" = ${deviceKey} AND best."isBest" AND best."profile" = 'default'
          AND best."unranked" IS NULL AND best."methodology" = ${METHODOLOGY_VERSION}::int
          AND best."medianNs" < ${LONGEST_WATCHED_NS}
          AND ${isQuotable('result', Prisma.sql`device."ownedBy"`)}
        ORDER BY best."op", best."dtype", best."medianNs" DESC`;
      return rows.filter(isKnownProblem).flatMap((row): SweepCase[] => {
        const variant = ifValid(() => parseVariant(row.address));
        if (!variant) return [];
        const { dtype, shape } = parseProblem(row);
        const { kernel, tunables } = variant;
        return [{ kernel, tunables: onlyValues(tunables), shapes: [shape], dtypes: [dtype] }];
      });
    },
  };
}
