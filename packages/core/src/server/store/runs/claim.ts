import { PREPARED, Prisma, type PrismaClient } from '@tilemark/db';
import type { RunClaim } from '../../../api/run';
import type { TuningRequest } from '../../../api/tuning';
import { drawSeed } from '../../../measure/seed';
import { runOf } from '../columns';
import { admitStored } from '../contributed/admit';
import { kernelToRun, rivalToRun } from '../contributed/to-run';
import { fromJson } from '../database';
import type { Notices } from '../notices';
import { stepsOf } from '../searches/steps';
import { mayAnswer } from '../trust';
import { isLost } from '../workers/lost';

export interface Claim {
  readonly runId: string;
  readonly workerId: string;
}

/** Whether a run needs nothing but kernels of the catalogue. */
const isOurs = Prisma.sql`NOT r."contributed"`;

/** Whether a worker `w` that a token let in has not been cut off, nor its token. */
const MAY_WORK = Prisma.sql`(w."tokenId" IS NULL OR w."detachedAt" IS NULL AND EXISTS (
  SELECT FROM "Token" AS t WHERE t."id" = w."tokenId" AND t."revokedAt" IS NULL
    AND (t."expiresAt" IS NULL OR t."expiresAt" > now())))`;

/** A worker measures one run at a time and hands results in meanwhile: with so many it gets no other. */
const MOST_HELD = 32;

/** How many runs of their devices the workers of the ids hold; a table expression named `held`. */
const heldOn = (workerIds: readonly string[]): Prisma.Sql => Prisma.sql`
  held AS MATERIALIZED (
    SELECT r."workerId", count(*)::int AS "runs" FROM "Run" AS r
    WHERE r."state" = 'running' AND r."workerId" = ANY (${[...workerIds]}::text[])
      AND r."deviceKey" IN (
        SELECT "deviceKey" FROM "Worker" WHERE "id" = ANY (${[...workerIds]}::text[]))
    GROUP BY r."workerId")`;

/** Whether a worker `w` may hold `more` runs and one, by the rows of `held`. */
const hasRoom = (more: Prisma.Sql): Prisma.Sql => Prisma.sql`(
  coalesce((SELECT "runs" FROM held WHERE held."workerId" = w."id"), 0) + ${more} < ${MOST_HELD})`;

/**
 * Takes runs for workers of their devices; null when there is nothing to take (ended, cancelled,
 * gone, claimed by a live worker, or another's while its token is not trusted), or the worker
 * holds its fill. A run claimed by this worker or by a lost one is taken over.
 */
export async function claimRuns(
  db: PrismaClient,
  notices: Notices,
  asked: readonly Claim[],
): Promise<(RunClaim | null | Error)[]> {
  const runIds = asked.map(({ runId }) => runId);
  const workerIds = asked.map(({ workerId }) => workerId);
  const seeds = asked.map(() => drawSeed());
  const earlier = new Map<string, number>();
  const nths = workerIds.map((id) => {
    const nth = earlier.get(id) ?? 0;
    earlier.set(id, nth + 1);
    return nth;
  });
  // One statement: if two workers claim at once, Postgres makes one wait for the other, and its
  // condition is then false. The commit waits for the disk: a worker elsewhere may end
  // only what it has claimed, so if a crash lost the claim its result would be refused.
  // Workers are locked in one order, which heartbeats keep too. Runs are found by their ids:
  // by sweep or device, hence `|| ''`, Postgres would read all that wait.
  const rows = await db.$queryRaw<ClaimedRow[]>`
    ${PREPARED} WITH ${heldOn(workerIds)},
    claimed AS (
      UPDATE "Run" AS r
      SET "state" = 'running', "workerId" = w."id", "attempts" = r."attempts" + 1,
        "claimedAt" = now(), "seed" = coalesce(r."seed", asked."seed")
      FROM unnest(${runIds}::text[], ${workerIds}::text[], ${seeds}::float8[],
          ${nths}::int[]) AS asked("runId", "workerId", "seed", "nth"),
        "Worker" AS w, "Sweep" AS s
      WHERE r."id" = ANY (${runIds}::text[]) AND r."id" = asked."runId"
        AND w."id" = asked."workerId" AND w."deviceKey" = r."deviceKey" || ''
        AND s."id" = r."sweepId" || '' AND s."cancelledAt" IS NULL
        AND (w."contributed" OR ${isOurs}) AND ${MAY_WORK}
        AND ${mayAnswer('w', 's')}
        AND (${hasRoom(Prisma.sql`asked."nth"`)} OR r."workerId" = w."id")
        AND (r."state" = 'pending' OR (r."state" = 'running' AND (
          r."workerId" = w."id"
          OR EXISTS (SELECT FROM "Worker" AS holder
                     WHERE holder."id" = r."workerId" AND ${isLost('holder')}))))
      RETURNING r.*, s."sentinel", s."tuning"),
    locked AS (
      SELECT w."id" FROM "Worker" AS w WHERE w."id" IN (SELECT "workerId" FROM claimed)
      ORDER BY w."id" FOR NO KEY UPDATE),
    busy AS (
      UPDATE "Worker" SET "state" = 'running', "lastHeartbeatAt" = now()
      FROM locked WHERE "Worker"."id" = locked."id")
    SELECT claimed.*,
      NOT EXISTS (
        SELECT FROM "Run" AS other
        WHERE other."sweepId" = claimed."sweepId" AND other."id" <> claimed."id"
          AND other."state" IN ('running', 'measured', 'skipped', 'incorrect', 'failed')
      ) AS "isFirst"
    FROM claimed`;
  // Later claims change nothing shown about a sweep.
  for (const { isFirst, sweepId } of rows) if (isFirst) notices.soon(sweepId);
  const claimed = new Map(rows.map((row) => [`${row.id} ${row.workerId}`, row]));
  return Promise.all(
    asked.map(({ runId, workerId }) => {
      const row = claimed.get(`${runId} ${workerId}`);
      return row ? withKernels(db, row).catch(asError) : null;
    }),
  );
}

/**
 * Why a worker did not get a run that still waits: it was cut off, holds its fill, or the run is
 * for workers that run contributed kernels, or for trusted ones. Null: the run does not wait.
 */
export async function whyNotClaimed(
  db: PrismaClient,
  runId: string,
  workerId: string,
): Promise<'cut off' | 'full' | 'for others' | null> {
  const [row] = await db.$queryRaw<{ isCutOff: boolean; isFull: boolean; isForOthers: boolean }[]>`
    WITH ${heldOn([workerId])}
    SELECT NOT ${MAY_WORK} AS "isCutOff", NOT ${hasRoom(Prisma.sql`0`)} AS "isFull",
      NOT (w."contributed" OR ${isOurs}) OR NOT ${mayAnswer('w', 's')} AS "isForOthers"
    FROM "Run" AS r JOIN "Sweep" AS s ON s."id" = r."sweepId", "Worker" AS w
    WHERE r."id" = ${runId} AND r."state" = 'pending' AND w."id" = ${workerId}`;
  if (row?.isCutOff) return 'cut off';
  if (row?.isFull) return 'full';
  return row?.isForOthers ? 'for others' : null;
}

/** As its worker receives it. */
async function withKernels(db: PrismaClient, row: ClaimedRow): Promise<RunClaim> {
  const contributed = await kernelToRun(db, row);
  const rival = await rivalToRun(db, row);
  // What is known of a search is named by its addresses.
  if (row.isSearch) await admitStored(db, row.kernel);
  return {
    ...claimedRun(row),
    ...(contributed && { contributed }),
    ...(rival && { rival }),
    ...(row.isSearch && {
      search: {
        request: fromJson<TuningRequest>(row.tuning),
        steps: await stepsOf(db, row.sweepId),
      },
    }),
  };
}

type ClaimedRow = Prisma.RunGetPayload<object> & {
  readonly isFirst: boolean;
  readonly seed: number;
  /** Of its sweep. */
  readonly sentinel: boolean;
  readonly tuning: Prisma.JsonValue;
};

const claimedRun = ({ attempts, deviceKey, id, seed, ...row }: ClaimedRow): RunClaim => ({
  ...(row.sentinel && { occasion: row.sweepId }),
  id,
  deviceKey,
  attempt: attempts,
  seed,
  ...runOf(row),
});

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error), { cause: error });
