import { PREPARED, Prisma, type PrismaClient } from '@tilemark/db';
import type { Dtype } from '@tilemark/kernels';
import { group } from 'd3-array';
import type { ClaimedRun, RecordedRun } from '../../link/wire';
import type { Profile } from '../../measure/device';
import { METHODOLOGY_VERSION } from '../../measure/outcome';
import { POLICIES, POLICY_IDS } from '../../measure/policy';
import { drawSeed } from '../../measure/seed';
import { isOfSentinel } from '../../suites/sentinel';
import { admit, type KeptContents, type RunEnded } from '../gate/gate';
import { isOthersToTry, OPERATOR, partyOf } from '../gate/parties';
import { type Notices, notifySweep } from './changes';
import { isUsual, runOf } from './columns';
import { kernelToRun, overTime, rivalToRun } from './contributed-runs';
import { isLost } from './fleet';

export type { ClaimedRun };

/** The newest run of a variant on one problem of a device. */
export interface NewestRun {
  readonly deviceKey: string;
  readonly address: string;
  /** As `shapeText` writes it. */
  readonly shape: string;
  readonly dtype: Dtype;
  readonly profile: Profile;
  /** Pending or running; otherwise it has ended. */
  readonly isWaiting: boolean;
  /** Being measured. */
  readonly isRunning: boolean;
  /** It ended, failed or incorrect. */
  readonly hasFailed: boolean;
  /** SHA-256 of the source that ran; null for host kernels, skipped and imported runs. */
  readonly sourceHash: string | null;
  /** Imported, and measured with another methodology than this release's. */
  readonly isOtherMethodology: boolean;
}

/** A claim has reached its worker, or never will, by now, ms. */
const UNHEARD_MS = 15_000;

/** Whether a run needs nothing but kernels of the catalogue. */
const isOurs = Prisma.sql`strpos(concat(r."kernel", r."rival" ->> 'kernel'), '@') = 0`;

/** Whether a worker `w` that a token let in has not been cut off, nor its token. */
const MAY_WORK = Prisma.sql`(w."tokenId" IS NULL OR w."detachedAt" IS NULL AND EXISTS (
  SELECT FROM "Token" AS t WHERE t."id" = w."tokenId" AND t."revokedAt" IS NULL
    AND (t."expiresAt" IS NULL OR t."expiresAt" > now())))`;

/** Runs that may wait for devices that tokens attached before the grid queues more of its own. */
export const MOST_WAITING = { perToken: 4_000, inSum: 20_000 };

/**
 * A worker measures one run at a time and hands results in meanwhile: one that holds this many runs,
 * or a token with this many of them on a device of another party, gets no other.
 */
const MOST_HELD = { byWorker: 32, byToken: 64 };

/** A run held for longer goes to another, whatever the heartbeats say: no run takes a tenth of it, ms. */
const LONGEST_HELD_MS = 3_600_000;

/** How many runs of their devices the workers of the ids hold; a table expression named `held`. */
const heldOn = (workerIds: readonly string[]): Prisma.Sql => Prisma.sql`
  held AS MATERIALIZED (
    SELECT r."deviceKey", r."workerId", holder."tokenId", count(*)::int AS "runs"
    FROM "Run" AS r JOIN "Worker" AS holder ON holder."id" = r."workerId"
    WHERE r."state" = 'running' AND r."deviceKey" IN (
      SELECT "deviceKey" FROM "Worker" WHERE "id" = ANY (${[...workerIds]}::text[]))
    GROUP BY r."deviceKey", r."workerId", holder."tokenId")`;

/** Whether a worker `w` may hold `more` runs and one, by the rows of `held`. */
const hasRoom = (more: Prisma.Sql): Prisma.Sql => Prisma.sql`(
  coalesce((SELECT "runs" FROM held WHERE held."workerId" = w."id"), 0) + ${more}
    < ${MOST_HELD.byWorker}
  AND (w."tokenId" IS NULL
    OR coalesce((SELECT sum("runs") FROM held
        WHERE held."tokenId" = w."tokenId" AND held."deviceKey" = w."deviceKey"), 0) + ${more}
      < ${MOST_HELD.byToken}
    OR EXISTS (SELECT FROM "Device" AS device
      WHERE device."key" = w."deviceKey" AND device."ownedBy" = ${partyOf('w')})))`;

/** Rows per page of `pending`. */
const BATCH = 5_000;

export interface Claim {
  readonly runId: string;
  readonly workerId: string;
}

/** The runs that a worker says it has. */
interface HeldRuns {
  readonly workerId: string;
  readonly deviceKey: string;
  readonly runs: readonly string[];
}

/** What workers do all the time is a statement or a transaction for many (`store.ts` gathers them). */
export function runsOf(db: PrismaClient, notices: Notices, gpuSeconds: number) {
  const kept: KeptContents = new Set();

  /** Gives a claimed run back to pending, or drops it if its sweep was cancelled: it has not ended. */
  const release = async (runId: string, workerId: string): Promise<void> => {
    await db.$transaction(async (tx) => {
      const [dropped] = await tx.$queryRaw<InSweep[]>`
        DELETE FROM "Run" AS r USING "Sweep" AS s
        WHERE r."id" = ${runId} AND r."workerId" = ${workerId} AND r."state" = 'running'
          AND s."id" = r."sweepId" AND s."cancelledAt" IS NOT NULL
        RETURNING r."sweepId"`;
      if (dropped) return notifySweep(tx, dropped.sweepId);
      await tx.run.updateMany({
        where: { id: runId, workerId, state: 'running' },
        // The worker was not lost, so this attempt does not count.
        data: { state: 'pending', workerId: null, attempts: { decrement: 1 } },
      });
    });
  };

  /** A run that a party has held for too long waits for another party, where one is there to try. */
  const giveUp = (runId: string, workerId: string) => db.$executeRaw`
    UPDATE "Run" AS run SET "declinedBy" = array_append(run."declinedBy", ${partyOf('w')})
    FROM "Worker" AS w, "Device" AS device
    WHERE run."id" = ${runId} AND run."state" = 'running' AND w."id" = ${workerId}
      AND run."workerId" = w."id" AND device."key" = run."deviceKey"
      AND ${isOthersToTry(partyOf('w'))}`;

  /** As its worker receives it. */
  const withKernels = async (row: ClaimedRow): Promise<ClaimedRun> => {
    const contributed = await kernelToRun(db, row);
    const rival = await rivalToRun(db, row);
    const { createdById } = row;
    const isForeign = contributed !== null || rival?.file !== undefined;
    const over =
      isForeign && createdById !== null ? await overTime(db, createdById, gpuSeconds) : null;
    return {
      ...claimedRun(row),
      ...(contributed && { contributed: { ...contributed, refusal: contributed.refusal ?? over } }),
      ...(rival && { rival: { ...rival, refusal: rival.refusal ?? over } }),
    };
  };

  return {
    /**
     * Takes runs for workers of their devices; null when there is nothing to take (ended, cancelled,
     * gone, claimed by a live worker, or given up before by one of the same party on another's
     * device), or the worker holds its fill. A run claimed by this worker or by a lost one is taken over.
     */
    async claim(asked: readonly Claim[]): Promise<(ClaimedRun | null | Error)[]> {
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
            AND (cardinality(r."declinedBy") = 0 OR ${partyOf('w')} <> ALL (r."declinedBy"))
            AND (w."contributed" OR ${isOurs}) AND ${MAY_WORK}
            AND (${hasRoom(Prisma.sql`asked."nth"`)} OR r."workerId" = w."id")
            AND (r."state" = 'pending' OR (r."state" = 'running' AND (
              r."workerId" = w."id"
              OR EXISTS (SELECT FROM "Worker" AS holder
                         WHERE holder."id" = r."workerId" AND ${isLost('holder')}))))
          RETURNING r.*, s."createdById", s."suite"),
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
          return row ? withKernels(row).catch(asError) : null;
        }),
      );
    },

    /**
     * Whether the grid may queue work of its own for a device: always for one of the operator's, and
     * for one that a token attached while not too much waits for its devices, nor for all like it.
     */
    async hasRoomFor(deviceKey: string): Promise<boolean> {
      const [row] = await db.$queryRaw<{ ofOwner: number; all: number }[]>`
        SELECT count(*) FILTER (WHERE d."ownedBy" = device."ownedBy")::int AS "ofOwner",
          count(*)::int AS "all"
        FROM "Device" AS device
        JOIN "Device" AS d ON d."ownedBy" <> ${OPERATOR}
          AND d."lastSeenAt" > now() - interval '1 day'
        JOIN "Run" AS r ON r."deviceKey" = d."key" AND r."state" = 'pending'
        WHERE device."key" = ${deviceKey} AND device."ownedBy" <> ${OPERATOR}`;
      return !row || (row.ofOwner < MOST_WAITING.perToken && row.all < MOST_WAITING.inSum);
    },

    /**
     * Why a worker did not get a run that still waits: it was cut off, holds its fill, or the run is
     * for workers that run contributed kernels, or of other parties. Null: the run does not wait.
     */
    async whyNotClaimed(
      runId: string,
      workerId: string,
    ): Promise<'cut off' | 'full' | 'for others' | null> {
      const [row] = await db.$queryRaw<
        { isCutOff: boolean; isFull: boolean; isForOthers: boolean }[]
      >`
        WITH ${heldOn([workerId])}
        SELECT NOT ${MAY_WORK} AS "isCutOff", NOT ${hasRoom(Prisma.sql`0`)} AS "isFull",
          NOT (w."contributed" OR ${isOurs}) OR ${partyOf('w')} = ANY (r."declinedBy")
            AS "isForOthers"
        FROM "Run" AS r, "Worker" AS w
        WHERE r."id" = ${runId} AND r."state" = 'pending' AND w."id" = ${workerId}`;
      if (row?.isCutOff) return 'cut off';
      if (row?.isFull) return 'full';
      return row?.isForOthers ? 'for others' : null;
    },

    release,

    /**
     * Compares workers' runs with those that they say they have. `lost`: those that are not the
     * worker's own any more, or whose sweep was cancelled; `released`: claimed by it some time ago, but the claim has not reached it,
     * or held for too long.
     */
    async review(asked: readonly HeldRuns[]): Promise<{ lost: string[]; released: string[] }[]> {
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
            if (overdue.has(id)) await giveUp(id, workerId);
            await release(id, workerId);
          }
          const isLostTo = (id: string) => heldBy.get(id) !== workerId || overdue.has(id);
          return { lost: runs.filter(isLostTo), released };
        }),
      );
    },

    /**
     * Ends runs, writes their results and moves the boards, in one transaction. Null for a run that has
     * already ended or was dropped: the first result stands, whoever holds the claim by now. The
     * tuning that it was a run of may be due to `advance`.
     */
    async record(records: readonly RecordedRun[]): Promise<(RunEnded | null | Error)[]> {
      const ended = await admit(db, kept, records);
      for (const run of ended) {
        if (run && !(run instanceof Error)) notices.soon(run.sweepId);
      }
      return ended;
    },

    /**
     * For each problem and profile of these variants on these devices, the newest run that has ended
     * and the newest that has not, under a policy whose results are ranked.
     */
    newest(deviceKeys: readonly string[], addresses: readonly string[]): Promise<NewestRun[]> {
      // Each device is sorted by itself, and only its newest runs are looked up among the results: a
      // join would read all results.
      return db.$queryRaw<NewestRun[]>`
        SELECT newest."deviceKey", newest."address", newest."shape", newest."dtype",
          newest."profile"::text, newest."isWaiting", newest."isRunning", newest."hasFailed",
          result."sourceHash",
          coalesce(result."methodology" <> ${METHODOLOGY_VERSION}::int, false)
            AS "isOtherMethodology"
        FROM unnest(${[...deviceKeys]}::text[]) AS device(key)
        CROSS JOIN LATERAL (
          SELECT DISTINCT ON (r."address", r."shape", r."dtype", r."profile", "isWaiting") r.*,
            r."state" IN ('pending', 'running') AS "isWaiting",
            r."state" = 'running' AS "isRunning",
            r."state" IN ('failed', 'incorrect') AS "hasFailed"
          FROM "Run" AS r
          WHERE r."deviceKey" = device.key AND r."address" = ANY (${[...addresses]}::text[])
            AND r."policy" = ANY (${RANKABLE}::text[]) AND ${isUsual('r')}
          ORDER BY r."address", r."shape", r."dtype", r."profile", "isWaiting", r."endedAt" DESC,
            "isRunning" DESC
        ) AS newest
        LEFT JOIN LATERAL (
          SELECT "sourceHash",
            ("outcome" -> 'measurement' ->> 'methodologyVersion')::int AS "methodology"
          FROM "Result" WHERE "runId" = newest."id") AS result ON true`;
    },

    async byState(): Promise<Readonly<Record<string, number>>> {
      const groups = await db.run.groupBy({ by: ['state'], _count: true });
      return Object.fromEntries(groups.map(({ state, _count }) => [state, _count]));
    },

    /** Pending runs with the device they wait for: what the queue must contain. */
    async *pending(): AsyncGenerator<{ id: string; deviceKey: string; background: boolean }> {
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

    // Returns runs claimed by lost workers to pending; drops leftovers of cancelled sweeps.
    // Reclaimed runs keep their worker's id: the result may be waiting in its journal, and a
    // worker elsewhere may end only what it has claimed.
    async reclaim(): Promise<{ reclaimed: number; dropped: number }> {
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

type ClaimedRow = Prisma.RunGetPayload<object> & {
  readonly isFirst: boolean;
  readonly seed: number;
  /** The token that asked for it. */
  readonly createdById: string | null;
  /** Of its sweep. */
  readonly suite: string | null;
};

const claimedRun = ({ attempts, deviceKey, id, seed, ...row }: ClaimedRow): ClaimedRun => ({
  ...(isOfSentinel(row.suite) && { occasion: row.sweepId }),
  id,
  deviceKey,
  attempt: attempts,
  seed,
  ...runOf(row),
});

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error), { cause: error });

const RANKABLE = POLICY_IDS.filter((id) => POLICIES[id].rankable);
