/**
 * Tunings: sweeps that grow. What they run next is decided in tune/; here it is read and kept.
 *
 * - runs.ts   the runs that a search is replayed on, and the time that they took
 * - views.ts  how far a tuning is, for its sweep and shape by shape
 */
import { Prisma, type PrismaClient } from '@tilemark/db';
import { keyOf } from '../../../tune/asking';
import { FAMILY_SCREENING_PART } from '../../../tune/family-search';
import type { GridDecision, GridTuning } from '../../../tune/family-tuning';
import { SCREENING_PART } from '../../../tune/problem-search';
import type { TunableDevice } from '../../../tune/problem-tuning';
import { pointsAhead, type TuningRun, type TuningStep } from '../../../tune/replay';
import type { DeviceRef } from '../../../view/api';
import { notifySweep } from '../changes';
import { admitStored } from '../contributed-runs';
import { fromJson, toJson } from '../database';
import { insertRuns, newRun } from '../new-sweeps';
import { deviceRef } from '../run-view';
import { runsOfTuning, spentS } from './runs';
import { tunedShapes } from './views';

/** Decides the next step of a tuning. */
type Decide = (
  request: GridTuning,
  device: TunableDevice,
  runs: readonly TuningRun[],
) => Promise<TuningStep<GridDecision>>;

/** The replay of a long search takes a second. */
const TIMEOUT_MS = 60_000;

const isOpen = Prisma.sql`(s."tuning" IS NOT NULL AND s."decision" IS NULL
  AND s."cancelledAt" IS NULL)`;

export function tuningsOf(db: PrismaClient) {
  return {
    /** Ids of tunings that stand still: undecided, and nothing of them is left to run. */
    async standing(): Promise<string[]> {
      const rows = await db.$queryRaw<{ id: string }[]>`
        SELECT s."id" FROM "Sweep" AS s WHERE ${isOpen} AND NOT EXISTS (
          SELECT FROM "Run" AS r
          WHERE r."sweepId" = s."id" AND r."state" IN ('pending', 'running'))`;
      return rows.map(({ id }) => id);
    },

    /**
     * Takes a tuning a step further, unless enough of its runs are still to come; returns the runs
     * to queue. Two who do so at once take turns, and the second finds nothing to add.
     */
    async advance(id: string, decide: Decide): Promise<{ id: string; deviceKey: string }[]> {
      if (!(await isDue(db, id))) return [];
      return db.$transaction((tx) => advanceTuning(tx, id, decide), {
        timeout: TIMEOUT_MS,
        maxWait: TIMEOUT_MS,
      });
    },

    /** The shapes of a family that is tuned, in the family's order. Null: no such tuning. */
    shapes: (id: string) => tunedShapes(db, id),
  };
}

interface Under {
  readonly tried: number;
  readonly left: number;
  readonly isScreening: boolean;
  readonly screensLeft: number;
  readonly duelsLeft: number;
  readonly usedSeconds: number;
  readonly budgetSeconds: number;
  readonly isFamily: boolean;
}

/**
 * Whether less than half of what is to be under way still is, or its time is used up: a family has
 * whole shapes under way, which may take many times its budget.
 */
async function isDue(db: PrismaClient, id: string): Promise<boolean> {
  const [row] = await db.$queryRaw<Under[]>`
    SELECT count(*) FILTER (WHERE r."endedAt" IS NOT NULL)::int AS "tried",
      count(r."id") FILTER (WHERE r."endedAt" IS NULL)::int AS "left",
      coalesce(bool_and(r."policy" = 'screen'), true) AS "isScreening",
      count(*) FILTER (WHERE r."state" = 'pending' AND r."policy" = 'screen'
        AND r."rival" IS NULL)::int AS "screensLeft",
      count(*) FILTER (WHERE r."state" = 'pending' AND r."rival" IS NOT NULL)::int AS "duelsLeft",
      coalesce(sum(${spentS}), 0) AS "usedSeconds",
      (s."tuning"->>'budgetSeconds')::float8 AS "budgetSeconds",
      s."tuning" ? 'suite' AS "isFamily"
    FROM "Sweep" AS s LEFT JOIN "Run" AS r ON r."sweepId" = s."id"
      LEFT JOIN "Result" AS result ON result."runId" = r."id"
    WHERE s."id" = ${id} AND ${isOpen} GROUP BY s."id"`;
  if (!row) return false;
  const { budgetSeconds, duelsLeft, isFamily, isScreening, left, screensLeft, tried } = row;
  if (left <= (isScreening ? pointsAhead(tried) / 2 : 0)) return true;
  const part = isFamily ? FAMILY_SCREENING_PART : SCREENING_PART;
  const isOver = (share: number) => row.usedSeconds > share * budgetSeconds;
  return (screensLeft > 0 && isOver(part)) || (isFamily && duelsLeft > 0 && isOver(1));
}

interface TuningRow extends DeviceRef {
  readonly tuning: Prisma.JsonValue;
  readonly capabilities: Prisma.JsonValue;
}

async function advanceTuning(tx: Prisma.TransactionClient, id: string, decide: Decide) {
  // Held until the end, so that nobody else adds runs meanwhile; runs in hand are not held up.
  const [row] = await tx.$queryRaw<TuningRow[]>`
    SELECT s."tuning", device."key", device."name", device."class"::text, device."capabilities"
    FROM "Sweep" AS s JOIN "Device" AS device ON device."key" = s."deviceKeys"[1]
    WHERE s."id" = ${id} AND ${isOpen} FOR NO KEY UPDATE OF s`;
  if (!row) return [];
  const request = fromJson<GridTuning>(row.tuning);
  const { profile } = request;
  if ('kernel' in request && request.kernel) await admitStored(tx, request.kernel);
  const device = { ...deviceRef(row), capabilities: fromJson<Capabilities>(row.capabilities) };
  const runs = await runsOfTuning(tx, id);
  const { decision, wanted } = await decide(request, device, runs);

  // What was proposed ahead of a turn that the search then took is not run.
  const stays = new Set((wanted ?? []).map(keyOf));
  await tx.run.deleteMany({
    where: {
      id: { in: runs.filter((run) => !stays.has(keyOf(run))).map((run) => run.id) },
      state: 'pending',
    },
  });
  if (decision) await tx.sweep.update({ where: { id }, data: { decision: toJson(decision) } });
  const known = new Set(runs.map(keyOf));
  const first = (runs.at(-1)?.ordinal ?? -1) + 1;
  const added = (wanted ?? [])
    .filter((run) => !known.has(keyOf(run)))
    .map((run, at) => newRun({ ...run, profile, deviceKey: row.key }, first + at));
  await insertRuns(tx, id, added);
  await notifySweep(tx, id);
  return added.map((run) => ({ id: run.id, deviceKey: row.key }));
}

type Capabilities = NonNullable<TunableDevice['capabilities']>;
