import { PREPARED, Prisma } from '@tilemark/db';
import { isCeiling } from '@tilemark/kernels';
import { ascending, group } from 'd3-array';
import { isContributed } from '../../../contributed/kernel';
import type { Measurement } from '../../../measure/outcome';
import { POLICIES } from '../../../measure/policy';
import { KNOWN_WIDTH } from '../../../measure/stats';
import { type Headline, headline, knownSpread } from '../../../rank/headline';
import { restoreOutcome } from '../columns';

/**
 * The rows of the board, moved as results arrive. A variant's row is the headline of its invocations
 * (rank/headline.ts); a problem's row is that of its fastest variant by `provenNs`. Both are computed again from
 * the results they rest on, so that nothing a worker or a file says of them is believed.
 */

/** A measured result whose variant's headline it changes, with the columns of its run. */
export type BestCandidate = Pick<
  Prisma.RunGetPayload<object>,
  'kernel' | 'address' | 'deviceKey' | 'op' | 'dtype' | 'shape' | 'profile'
> & { readonly resultId: string; readonly measuredAt: string };

const QUICK: readonly string[] = Object.values(POLICIES)
  .filter(({ rankable }) => !rankable)
  .map(({ id }) => id);

/** The floor of a ladder, on the GPU or the host: what speed-ups are relative to. */
const NAIVE = '/(cpu-)?naive$';

/** `provenNs` of a row with a headline, in SQL. */
export const PROVEN_NS = Prisma.sql`(CASE
  WHEN greatest("highNs" - "medianNs", "medianNs" - "lowNs") <= ${KNOWN_WIDTH} * "medianNs"
  THEN "medianNs" ELSE "highNs" END)`;

/** The newest results of a variant that its headline may rest on. */
const MOST_RESULTS = 100;

/** Variants whose repeated measurements say how much the device varies. */
const MOST_REPEATED = 200;

/** A result of the variant, by the device's own clock of quality. */
interface Kept {
  readonly id: string;
  readonly medianNs: number;
  readonly lowNs: number;
  readonly highNs: number;
  readonly unranked: string | null;
  /** Whether anybody but its own party agrees with it. */
  readonly isConfirmed: boolean;
  readonly policy: string;
  readonly sourceHash: string | null;
  /** The process that measured it; null: unknown, and taken for one of its own. */
  readonly invocation: string | null;
}

/** 0 ranked and confirmed; 1 ranked; 2 not ranked; 3 of a policy that never ranks. */
const standingOf = ({ isConfirmed, policy, unranked }: Kept): number => {
  if (unranked === null) return isConfirmed ? 0 : 1;
  return QUICK.includes(policy) ? 3 : 2;
};

/**
 * Moves the headline of a result's variant, and the best of its device, problem and profile. Results
 * of one methodology alone count, of the best standing, and of the newest source: another kernel by
 * the same name says nothing. Several of one process are one invocation. Of contributed
 * kernels, those that are published have headlines; the best of a problem is one of ours.
 */
export async function moveBest(
  tx: Prisma.TransactionClient,
  candidate: BestCandidate,
  measurement: Measurement,
): Promise<void> {
  if (hasBest(candidate.kernel)) await lockBest(tx, candidate, measurement);
  await moveHeadline(tx, candidate, measurement);
}

/** As `moveBest`, for a caller that has locked the row of the problem already. */
export async function moveHeadline(
  tx: Prisma.TransactionClient,
  candidate: Omit<BestCandidate, 'measuredAt'>,
  measurement: Measurement,
): Promise<void> {
  const { address, deviceKey, dtype, kernel, op, profile, shape } = candidate;
  if (isCeiling(kernel)) return;
  if (isContributed(kernel) && !(await lockPublished(tx, kernel))) return;
  const { methodologyVersion: methodology } = measurement;
  const [read] = await tx.$queryRaw<
    { results: Kept[] | null; repeated: { invocations: number; spread: number }[] | null }[]
  >`
    ${PREPARED} SELECT
      (SELECT json_agg(each) FROM (
        SELECT result."id", result."medianNs", result."lowNs", result."highNs", result."unranked",
          result."confirmedBy" IS NOT NULL AS "isConfirmed", run."policy", result."sourceHash",
          result."outcome" -> 'measurement' ->> 'invocation' AS "invocation"
        FROM "Run" AS run JOIN "Result" AS result ON result."runId" = run."id"
        WHERE run."deviceKey" = ${deviceKey} AND run."address" = ${address}
          AND run."shape" = ${shape} AND run."op" = ${op} AND run."dtype" = ${dtype}
          AND run."profile" = ${profile}::"Profile" AND result."medianNs" IS NOT NULL
          AND (result."outcome" -> 'measurement' ->> 'methodologyVersion')::int = ${methodology}::int
        ORDER BY result."endedAt" DESC, result."id" DESC LIMIT ${MOST_RESULTS}) AS each) AS "results",
      (SELECT json_agg(each) FROM (
        SELECT "invocations", "spread" FROM "VariantBest"
        WHERE "deviceKey" = ${deviceKey} AND "invocations" > 1
          AND "methodology" = ${methodology}::int AND "standing" < 2
        ORDER BY "invocations" DESC LIMIT ${MOST_REPEATED}) AS each) AS "repeated"`;
  const found = headlineOf(read?.results ?? [], read?.repeated ?? []);
  if (!found) return;
  const { resultId, standing, unranked } = found;
  const { highNs, invocations, lowNs, medianNs, spread } = found.headline;
  const problem = Prisma.sql`"deviceKey" = ${deviceKey} AND "op" = ${op} AND "dtype" = ${dtype}
    AND "shape" = ${shape} AND "profile" = ${profile}::"Profile"
    AND "methodology" = ${methodology}::int`;
  await tx.$executeRaw`
    ${PREPARED} WITH own AS (
      INSERT INTO "VariantBest" ("deviceKey", "op", "dtype", "shape", "profile", "methodology",
        "address", "kernel", "resultId", "medianNs", "lowNs", "highNs", "invocations", "spread",
        "standing", "unranked")
      VALUES (${deviceKey}, ${op}, ${dtype}, ${shape}, ${profile}::"Profile", ${methodology}::int,
        ${address}, ${kernel}, ${resultId}, ${medianNs}::float8, ${lowNs}::float8,
        ${highNs}::float8, ${invocations}::int, ${spread}::float8, ${standing}::int, ${unranked})
      ON CONFLICT ("deviceKey", "op", "dtype", "shape", "profile", "methodology", "address")
      DO UPDATE SET "resultId" = EXCLUDED."resultId", "medianNs" = EXCLUDED."medianNs",
        "lowNs" = EXCLUDED."lowNs", "highNs" = EXCLUDED."highNs",
        "invocations" = EXCLUDED."invocations", "spread" = EXCLUDED."spread",
        "standing" = EXCLUDED."standing", "unranked" = EXCLUDED."unranked"
      RETURNING *),
    variants AS (
      SELECT * FROM "VariantBest" WHERE ${problem} AND "address" <> ${address}
      UNION ALL SELECT * FROM own),
    first AS (SELECT * FROM variants WHERE strpos("kernel", '@') = 0
      ORDER BY "standing", ${PROVEN_NS} LIMIT 1),
    naive AS (
      SELECT * FROM variants WHERE "kernel" ~ ${NAIVE} ORDER BY "standing", ${PROVEN_NS} LIMIT 1)
    UPDATE "Best" SET "resultId" = first."resultId", "medianNs" = first."medianNs",
      "lowNs" = first."lowNs", "highNs" = first."highNs", "invocations" = first."invocations",
      "unranked" = first."unranked", "measuredAt" = result."endedAt",
      "naiveResultId" = naive."resultId", "naiveMedianNs" = naive."medianNs",
      "naiveUnranked" = naive."unranked"
    FROM first JOIN "Result" AS result ON result."id" = first."resultId"
    LEFT JOIN naive ON true
    WHERE "Best"."deviceKey" = ${deviceKey} AND "Best"."op" = ${op} AND "Best"."dtype" = ${dtype}
      AND "Best"."shape" = ${shape} AND "Best"."profile" = ${profile}::"Profile"
      AND "Best"."methodology" = ${methodology}::int`;
}

/** Moves what rests on these results, whose standing has changed. */
export async function moveBests(
  tx: Prisma.TransactionClient,
  resultIds: readonly string[],
): Promise<void> {
  if (resultIds.length === 0) return;
  const results = await tx.result.findMany({
    where: { id: { in: [...resultIds] } },
    include: { run: true },
  });
  for (const row of results) {
    const outcome = restoreOutcome(row);
    if (outcome.kind !== 'measured') continue;
    const candidate = { ...row.run, resultId: row.id, measuredAt: row.endedAt.toISOString() };
    await moveBest(tx, candidate, outcome.measurement);
  }
}

/** Whether a kernel may be the best of a problem. */
export const hasBest = (kernel: string): boolean => !isCeiling(kernel) && !isContributed(kernel);

async function lockBest(
  tx: Prisma.TransactionClient,
  { deviceKey, dtype, measuredAt, op, profile, resultId, shape }: BestCandidate,
  measurement: Measurement,
): Promise<void> {
  const columns = Prisma.sql`(SELECT ${deviceKey} AS "deviceKey", ${op} AS "op", ${dtype} AS "dtype",
    ${shape} AS "shape", ${profile} AS "profile", ${resultId} AS "resultId") AS candidate`;
  await tx.$executeRaw`${PREPARED} ${holdBest(measurement, measuredAt, columns)}`;
}

/**
 * The statement that makes the row of the problem, if there is none, and holds it until the
 * transaction ends: of several that move it at once, each then reads what the one before wrote.
 *
 * @param from a row with the result's id and the columns of its run
 */
export const holdBest = (
  { cold, methodologyVersion, unranked }: Measurement,
  measuredAt: string,
  from: Prisma.Sql,
): Prisma.Sql => Prisma.sql`
  INSERT INTO "Best" AS b ("deviceKey", "op", "dtype", "shape", "profile", "methodology", "resultId",
    "medianNs", "lowNs", "highNs", "invocations", "unranked", "measuredAt")
  SELECT "deviceKey", "op", "dtype", "shape", "profile"::"Profile", ${methodologyVersion}::int,
    "resultId", ${cold.medianNs}::float8, ${cold.lowNs}::float8, ${cold.highNs}::float8, 1,
    ${unranked}, ${measuredAt}::timestamptz
  FROM ${from}
  ON CONFLICT ("deviceKey", "op", "dtype", "shape", "profile", "methodology")
  DO UPDATE SET "resultId" = b."resultId"`;

/** Whether a contributed kernel is on the boards; locks its row until the transaction ends. */
async function lockPublished(tx: Prisma.TransactionClient, kernel: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT "id" FROM "ContributedKernel" WHERE "id" = ${kernel}
      AND "publishedAt" IS NOT NULL AND "removedAt" IS NULL FOR UPDATE`;
  return rows.length > 0;
}

/** Takes a contributed kernel off the boards. */
export const forgetVariants = (tx: Prisma.TransactionClient, kernel: string): Promise<unknown> =>
  tx.variantBest.deleteMany({ where: { kernel } });

/** The headline of a variant's results, newest first, and the result nearest to it. */
function headlineOf(
  results: readonly Kept[],
  repeated: readonly { readonly invocations: number; readonly spread: number }[],
): {
  readonly headline: Headline;
  readonly resultId: string;
  readonly standing: number;
  readonly unranked: string | null;
} | null {
  const standing = Math.min(...results.map(standingOf));
  const best = results.filter((result) => standingOf(result) === standing);
  // What came in a file does not say what it ran.
  const source = best.find(({ sourceHash }) => sourceHash !== null)?.sourceHash ?? null;
  const current = best.filter(({ sourceHash }) => sourceHash === null || sourceHash === source);
  const processes = group(current, ({ id, invocation }) => invocation ?? id);
  const invocations = [...processes.values()].flatMap((of) => middleOf(of) ?? []);
  const nearest = middleOf(invocations);
  if (!nearest) return null;
  return {
    // The row names a result and has its time; of two in the middle the slower, which flatters nobody.
    headline: { ...headline(invocations, knownSpread(repeated)), medianNs: nearest.medianNs },
    resultId: nearest.id,
    standing,
    unranked: nearest.unranked,
  };
}

/** The one in the middle by time, of two the slower. */
const middleOf = (results: readonly Kept[]): Kept | undefined =>
  results.toSorted((a, b) => ascending(a.medianNs, b.medianNs))[Math.floor(results.length / 2)];
