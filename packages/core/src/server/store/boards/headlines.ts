import { PREPARED, Prisma, type PrismaClient } from '@tilemark/db';
import { isCeiling } from '@tilemark/kernels';
import { ascending, group } from 'd3-array';
import { isContributed } from '../../../contributed/known';
import type { DeviceClass } from '../../../measure/device';
import type { Outcome } from '../../../measure/outcome';
import { POLICIES } from '../../../measure/policy';
import { type Headline, headline, knownSpread, type Spread } from '../../../rank/headline';
import { KNOWN_WIDTH } from '../../../statistics/summary';
import { isQuotable, quotable } from '../../gate/parties';
import { isUsual, restoreOutcome } from '../columns';

/**
 * The rows of the board, moved as results arrive. A variant's row is the headline of its invocations
 * (rank/headline.ts); a problem's row is that of its fastest variant by `provenNs`. Both are computed again from
 * the results they rest on, so that nothing a worker or a file says of them is believed.
 */

/** What says of which variant, problem and device a run is. */
export type RunColumns = Pick<
  Prisma.RunGetPayload<object>,
  'kernel' | 'address' | 'deviceKey' | 'op' | 'dtype' | 'shape' | 'profile'
>;

/** What a row of "VariantBest" is of. */
type VariantKey = RunColumns & { readonly methodology: number };

const QUICK: readonly string[] = Object.values(POLICIES)
  .filter(({ rankable }) => !rankable)
  .map(({ id }) => id);

/** `provenNs` of a row with a headline, in SQL. */
export const PROVEN_NS = Prisma.sql`(CASE
  WHEN greatest("highNs" - "medianNs", "medianNs" - "lowNs") <= ${KNOWN_WIDTH} * "medianNs"
  THEN "medianNs" ELSE "highNs" END)`;

/** The order of the rows `v` of a problem, the one to prefer first: of equal standing, the quotable. */
const PREFERRED = Prisma.sql`v."standing", CASE WHEN v."standing" IN (1, 3) THEN NOT EXISTS (
    SELECT FROM "Result" AS result JOIN "Device" AS device ON device."key" = v."deviceKey"
    WHERE result."id" = v."resultId" AND ${isQuotable('result', Prisma.sql`device."ownedBy"`)})
  ELSE false END, ${PROVEN_NS}`;

/** The newest results of a variant that its headline may rest on, quotable ones first. */
const MOST_RESULTS = 100;

/** Variants whose repeated measurements say how much the device varies. */
const MOST_REPEATED = 200;

/**
 * How much invocations differ on the device, by its repeated variants of one methodology: those whose
 * headline is quotable, so that no stranger's repeats widen or narrow what others measured.
 */
export async function spreadOf(
  db: PrismaClient,
  deviceKey: string,
  methodology: number,
): Promise<Spread> {
  const device = await db.device.findUniqueOrThrow({
    where: { key: deviceKey },
    select: { class: true, ownedBy: true },
  });
  const repeated = await db.variantBest.findMany({
    where: {
      deviceKey,
      methodology,
      invocations: { gt: 1 },
      standing: { lt: 2 },
      result: quotable(device.ownedBy),
    },
    select: { invocations: true, spread: true },
    orderBy: { invocations: 'desc' },
    take: MOST_REPEATED,
  });
  return knownSpread(device.class, repeated);
}

/** A result of the variant, by the device's own clock of quality. */
interface Kept {
  readonly id: string;
  readonly medianNs: number;
  readonly lowNs: number;
  readonly highNs: number;
  readonly unranked: string | null;
  /** Whether anybody but its own party agrees with it. */
  readonly isConfirmed: boolean;
  /** Whether it may decide for its device (gate/parties.ts). */
  readonly isQuotable: boolean;
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

/** Holds the boards' rows of devices until the transaction ends: they move for one at a time. */
export async function holdBoards(
  tx: Prisma.TransactionClient,
  deviceKeys: readonly string[],
): Promise<void> {
  await tx.$executeRaw`
    ${PREPARED} SELECT pg_advisory_xact_lock(hashtextextended("key", 0))
    FROM (SELECT DISTINCT unnest(${deviceKeys}::text[]) AS "key" ORDER BY "key") AS device`;
}

/**
 * Moves the headlines of results' variants, and the best of their devices, problems and profiles,
 * whose rows the caller holds (`holdBoards`). Results of one methodology alone count, of the best
 * standing, the device owner's before strangers', and of the newest source: another kernel by the same name says nothing. Several of one
 * process are one invocation. Of contributed kernels, those that are published have headlines; the
 * best of a problem is one of ours.
 */
export async function moveHeadlines(
  tx: Prisma.TransactionClient,
  candidates: readonly VariantKey[],
): Promise<void> {
  const ladders = candidates.filter(({ kernel }) => !isCeiling(kernel));
  const foreign = [...new Set(ladders.map(({ kernel }) => kernel).filter(isContributed))].sort();
  const unpublished = new Set<string>();
  for (const kernel of foreign) {
    if (!(await lockPublished(tx, kernel))) unpublished.add(kernel);
  }
  const variants = [
    ...new Map(
      ladders.flatMap((run) => (unpublished.has(run.kernel) ? [] : [[keyOf(run), run]])),
    ).values(),
  ];
  if (variants.length === 0) return;
  // Planned each time: a plan kept from when there were few results would read all of them.
  const read = await tx.$queryRaw<
    {
      place: number;
      class: DeviceClass;
      results: Kept[] | null;
      repeated: { invocations: number; spread: number }[] | null;
    }[]
  >`
    SELECT asked."place",
      device."class",
      (SELECT json_agg(found) FROM (
        SELECT result."id", result."medianNs", result."lowNs", result."highNs", result."unranked",
          result."confirmedBy" IS NOT NULL AS "isConfirmed", run."policy", result."sourceHash",
          ${isQuotable('result', Prisma.sql`device."ownedBy"`)} AS "isQuotable",
          result."outcome" -> 'measurement' ->> 'invocation' AS "invocation"
        FROM "Run" AS run JOIN "Result" AS result ON result."runId" = run."id"
        WHERE run."deviceKey" = asked."deviceKey" AND run."address" = asked."address"
          AND run."shape" = asked."shape" AND run."op" = asked."op" AND run."dtype" = asked."dtype"
          AND run."profile" = asked."profile" AND ${isUsual('run')}
          AND result."medianNs" IS NOT NULL
          AND (result."outcome" -> 'measurement' ->> 'methodologyVersion')::int = asked."methodology"
        ORDER BY "isQuotable" DESC, result."endedAt" DESC, result."id" DESC
        LIMIT ${MOST_RESULTS}) AS found) AS "results",
      (SELECT json_agg(found) FROM (
        SELECT "invocations", "spread" FROM "VariantBest" AS v
          JOIN "Result" AS shown ON shown."id" = v."resultId"
        WHERE v."deviceKey" = asked."deviceKey" AND "invocations" > 1
          AND "methodology" = asked."methodology" AND "standing" < 2
          AND ${isQuotable('shown', Prisma.sql`device."ownedBy"`)}
        ORDER BY "invocations" DESC LIMIT ${MOST_REPEATED}) AS found) AS "repeated"
    FROM json_to_recordset(${JSON.stringify(variants.map((variant, place) => ({ place, ...variant })))}::json)
      AS asked("place" int, "deviceKey" text, "op" text, "dtype" text, "shape" text,
        "profile" "Profile", "methodology" int, "address" text)
      JOIN "Device" AS device ON device."key" = asked."deviceKey"`;
  const rows = read.flatMap(({ class: deviceClass, place, repeated, results }) => {
    const found = headlineOf(results ?? [], knownSpread(deviceClass, repeated ?? []));
    const variant = variants[place];
    if (!found || !variant) return [];
    const { headline, ...rest } = found;
    return [{ ...variant, ...rest, ...headline }];
  });
  if (rows.length === 0) return;
  await tx.$executeRaw`
    ${PREPARED} INSERT INTO "VariantBest" (${columns([...KEY, 'kernel', ...VALUES])})
    SELECT ${columns([...KEY, 'kernel', ...VALUES])}
    FROM json_populate_recordset(NULL::"VariantBest", ${JSON.stringify(rows)}::json)
    ORDER BY ${columns(KEY)} ON CONFLICT (${columns(KEY)})
    DO UPDATE SET (${columns(VALUES)}) = ROW (${columns(VALUES, 'EXCLUDED.')})`;
  const problems = new Map(rows.map((row) => [keyOf({ ...row, address: '' }), row]));
  await tx.$executeRaw`
    ${PREPARED} UPDATE "VariantBest" AS moved
    SET "isBest" = (moved."address" = first."address")
    FROM json_populate_recordset(NULL::"VariantBest",
        ${JSON.stringify([...problems.values()])}::json) AS problem
      CROSS JOIN LATERAL (
        SELECT "address" FROM "VariantBest" AS v
        WHERE ${ofProblem('v', 'problem')} AND strpos("kernel", '@') = 0
        ORDER BY ${PREFERRED} LIMIT 1) AS first
    WHERE ${ofProblem('moved', 'problem')}
      AND moved."isBest" <> (moved."address" = first."address")`;
}

const keyOf = (row: VariantKey): string => KEY.map((name) => row[name]).join(' ');

const PROBLEM = ['deviceKey', 'op', 'dtype', 'shape', 'profile', 'methodology'] as const;
/** Of a row of "VariantBest", and what moves of it. */
const KEY = [...PROBLEM, 'address'] as const;
const VALUES = [
  'resultId',
  'medianNs',
  'lowNs',
  'highNs',
  'invocations',
  'spread',
  'standing',
].concat('unranked');

const columns = (names: readonly string[], row = ''): Prisma.Sql =>
  Prisma.raw(names.map((name) => `${row}"${name}"`).join(', '));

/** Whether two rows are of one problem of one device. */
const ofProblem = (a: string, b: string): Prisma.Sql =>
  Prisma.raw(PROBLEM.map((name) => `${a}."${name}" = ${b}."${name}"`).join(' AND '));

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
  const variants = results.flatMap(({ run, ...row }) => measuredVariant(run, restoreOutcome(row)));
  await holdBoards(
    tx,
    variants.map(({ deviceKey }) => deviceKey),
  );
  await moveHeadlines(tx, variants);
}

/** The variant whose headline an outcome moves, if it is measured. */
export function measuredVariant(
  { address, deviceKey, dtype, kernel, op, profile, shape }: RunColumns,
  outcome: Outcome,
): VariantKey[] {
  if (outcome.kind !== 'measured') return [];
  const { methodologyVersion: methodology } = outcome.measurement;
  return [{ address, deviceKey, dtype, kernel, op, profile, shape, methodology }];
}

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

/** The headline of a variant's results, quotable ones and then newest first, and the result nearest to it. */
function headlineOf(
  results: readonly Kept[],
  known: Spread,
): {
  readonly headline: Headline;
  readonly resultId: string;
  readonly standing: number;
  readonly unranked: string | null;
} | null {
  const standing = Math.min(...results.map(standingOf));
  const alike = results.filter((result) => standingOf(result) === standing);
  const best = alike.some((result) => result.isQuotable)
    ? alike.filter((result) => result.isQuotable)
    : alike;
  // What came in a file does not say what it ran.
  const source = best.find(({ sourceHash }) => sourceHash !== null)?.sourceHash ?? null;
  const current = best.filter(({ sourceHash }) => sourceHash === null || sourceHash === source);
  const processes = group(current, ({ id, invocation }) => invocation ?? id);
  const invocations = [...processes.values()].flatMap((runs) => middleOf(runs) ?? []);
  const nearest = middleOf(invocations);
  if (!nearest) return null;
  return {
    // The row names a result and has its time; of two in the middle the slower, which flatters nobody.
    headline: { ...headline(invocations, known), medianNs: nearest.medianNs },
    resultId: nearest.id,
    standing,
    unranked: nearest.unranked,
  };
}

/** The one in the middle by time, of two the slower. */
const middleOf = (results: readonly Kept[]): Kept | undefined =>
  results.toSorted((a, b) => ascending(a.medianNs, b.medianNs))[Math.floor(results.length / 2)];
