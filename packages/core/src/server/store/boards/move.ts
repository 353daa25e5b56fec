import { PREPARED, Prisma, type PrismaClient } from '@tilemark/db';
import { isCeiling, isContributed } from '@tilemark/kernels';
import { ascending, group } from 'd3-array';
import type { RunRow } from '../../../api/run';
import type { DeviceClass } from '../../../measure/device';
import { type Headline, headline, type Spread, spreadOfRepeats } from '../../../rank/headline';
import { isUsual } from '../columns';
import { batches } from '../database';
import { PLACED_NS } from './headlines';

/**
 * The rows of the board, moved as results arrive. A variant's row is the headline of its invocations
 * (rank/headline.ts); a problem's row is that of its fastest variant by `placedNs`. Both are computed again from
 * the results they rest on, so that nothing a worker or a file says of them is believed.
 */

/** The columns of a run's variant, problem and device. */
export type VariantColumns = Pick<
  RunRow,
  'kernel' | 'address' | 'deviceKey' | 'op' | 'dtype' | 'shape' | 'profile'
>;

/** The key of a row of "VariantBest". */
export type VariantKey = VariantColumns & { readonly methodology: number };

/** The order of the rows `v` of a problem, the one to prefer first. */
const PREFERRED = Prisma.sql`v."standing", ${PLACED_NS}`;

/** The newest results of a variant that its headline may rest on. */
const MOST_RESULTS = 100;

/** Variants whose repeated measurements say how much the device varies. */
const MOST_REPEATED = 200;

/** How much invocations differ on the device, by its repeated variants of one methodology. */
export async function spreadOf(
  db: PrismaClient,
  deviceKey: string,
  methodology: number,
): Promise<Spread> {
  const device = await db.device.findUniqueOrThrow({
    where: { key: deviceKey },
    select: { class: true },
  });
  const repeated = await db.variantBest.findMany({
    where: { deviceKey, methodology, invocations: { gt: 1 }, standing: 0 },
    select: { invocations: true, spread: true },
    orderBy: { invocations: 'desc' },
    take: MOST_REPEATED,
  });
  return spreadOfRepeats(device.class, repeated);
}

/** A result of the variant, by the device's own clock of quality. */
interface Kept {
  readonly id: string;
  readonly medianNs: number;
  readonly lowNs: number;
  readonly highNs: number;
  readonly unranked: string | null;
  readonly standing: number;
  readonly sourceHash: string | null;
  /** The process that measured it; null: unknown, and taken for one of its own. */
  readonly invocation: string | null;
}

/** Holds the boards' rows of devices until the transaction ends: they move for one at a time. */
async function holdBoards(
  tx: Prisma.TransactionClient,
  deviceKeys: readonly string[],
): Promise<void> {
  await tx.$executeRaw`
    ${PREPARED} SELECT pg_advisory_xact_lock(hashtextextended("key", 0))
    FROM (SELECT DISTINCT unnest(${deviceKeys}::text[]) AS "key" ORDER BY "key") AS device`;
}

/**
 * Moves the headlines of results' variants, and the best of their devices, problems and profiles,
 * whose rows the caller holds (`holdBoards`). Trusted results of one methodology alone count, of the best
 * standing, and of the newest source; a variant without any has no headline: another kernel by the same name says nothing. Several of one
 * process are one invocation. Of contributed kernels, those that are published have headlines; the
 * best of a problem is one of ours.
 */
async function moveHeadlines(
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
          result."standing", result."sourceHash",
          result."outcome" -> 'measurement' ->> 'invocation' AS "invocation"
        FROM "Run" AS run JOIN "Result" AS result ON result."runId" = run."id"
        WHERE run."deviceKey" = asked."deviceKey" AND run."address" = asked."address"
          AND run."shape" = asked."shape" AND run."op" = asked."op" AND run."dtype" = asked."dtype"
          AND run."profile" = asked."profile" AND ${isUsual('run')}
          AND result."medianNs" IS NOT NULL AND result."trusted"
          AND (result."outcome" -> 'measurement' ->> 'methodologyVersion')::int = asked."methodology"
        ORDER BY result."endedAt" DESC, result."id" DESC
        LIMIT ${MOST_RESULTS}) AS found) AS "results",
      (SELECT json_agg(found) FROM (
        SELECT "invocations", "spread" FROM "VariantBest" AS v
        WHERE v."deviceKey" = asked."deviceKey" AND "invocations" > 1
          AND "methodology" = asked."methodology" AND "standing" = 0
        ORDER BY "invocations" DESC LIMIT ${MOST_REPEATED}) AS found) AS "repeated"
    FROM json_to_recordset(${JSON.stringify(variants.map((variant, place) => ({ place, ...variant })))}::json)
      AS asked("place" int, "deviceKey" text, "op" text, "dtype" text, "shape" text,
        "profile" "Profile", "methodology" int, "address" text)
      JOIN "Device" AS device ON device."key" = asked."deviceKey"`;
  const forgotten: VariantKey[] = [];
  const rows = read.flatMap(({ class: deviceClass, place, repeated, results }) => {
    const found = headlineOf(results ?? [], spreadOfRepeats(deviceClass, repeated ?? []));
    const variant = variants[place];
    if (variant && !found) forgotten.push(variant);
    if (!found || !variant) return [];
    const { headline, ...rest } = found;
    const contributed = isContributed(variant.kernel);
    return [{ ...variant, contributed, ...rest, ...headline }];
  });
  if (forgotten.length > 0) await forget(tx, forgotten);
  const moved = [...rows, ...forgotten];
  if (moved.length === 0) return;
  await tx.$executeRaw`
    ${PREPARED} INSERT INTO "VariantBest" (${columns([...KEY, 'kernel', 'contributed', ...VALUES])})
    SELECT ${columns([...KEY, 'kernel', 'contributed', ...VALUES])}
    FROM json_populate_recordset(NULL::"VariantBest", ${JSON.stringify(rows)}::json)
    ORDER BY ${columns(KEY)} ON CONFLICT (${columns(KEY)})
    DO UPDATE SET (${columns(VALUES)}) = ROW (${columns(VALUES, 'EXCLUDED.')})`;
  const problems = new Map(moved.map((row) => [keyOf({ ...row, address: '' }), row]));
  await tx.$executeRaw`
    ${PREPARED} UPDATE "VariantBest" AS moved
    SET "isBest" = (moved."address" = first."address")
    FROM json_populate_recordset(NULL::"VariantBest",
        ${JSON.stringify([...problems.values()])}::json) AS problem
      CROSS JOIN LATERAL (
        SELECT "address" FROM "VariantBest" AS v
        WHERE ${ofProblem('v', 'problem')} AND NOT "contributed"
        ORDER BY ${PREFERRED} LIMIT 1) AS first
    WHERE ${ofProblem('moved', 'problem')}
      AND moved."isBest" <> (moved."address" = first."address")`;
}

const forget = (tx: Prisma.TransactionClient, variants: readonly VariantKey[]): Promise<unknown> =>
  tx.$executeRaw`
    DELETE FROM "VariantBest" AS v
    USING json_populate_recordset(NULL::"VariantBest", ${JSON.stringify(variants)}::json) AS gone
    WHERE ${ofProblem('v', 'gone')} AND v."address" = gone."address"`;

const keyOf = (row: VariantKey): string => KEY.map((name) => row[name]).join(' ');

const PROBLEM = ['deviceKey', 'op', 'dtype', 'shape', 'profile', 'methodology'] as const;
/** The columns of the key of "VariantBest", and those that move. */
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
  // One parameter, and no samples: a token may have brought hundreds of thousands.
  await moveVariants(
    tx,
    await tx.$queryRaw<VariantKey[]>`
      SELECT DISTINCT run."kernel", run."address", run."deviceKey", run."op", run."dtype", run."shape",
        run."profile"::text,
        (result."outcome" -> 'measurement' ->> 'methodologyVersion')::int AS "methodology"
      FROM "Result" AS result JOIN "Run" AS run ON run."id" = result."runId"
      WHERE result."id" = ANY (${[...resultIds]}::text[]) AND result."medianNs" IS NOT NULL`,
  );
}

/** Variants per statement: a few hundred kB of JSON. */
const BATCH = 500;

/** Moves the headlines of variants, and holds their boards. */
export async function moveVariants(
  tx: Prisma.TransactionClient,
  variants: readonly VariantKey[],
): Promise<void> {
  if (variants.length === 0) return;
  await holdBoards(
    tx,
    variants.map(({ deviceKey }) => deviceKey),
  );
  for (const some of batches(variants, BATCH)) await moveHeadlines(tx, some);
}

/** Whether a contributed kernel is on the boards; locks its row until the transaction ends. */
async function lockPublished(tx: Prisma.TransactionClient, kernel: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT "id" FROM "ContributedKernel" WHERE "id" = ${kernel}
      AND "publishedAt" IS NOT NULL AND "removedAt" IS NULL FOR UPDATE`;
  return rows.length > 0;
}

/** The headline of a variant's results, the newest first, and the result nearest to it. */
function headlineOf(
  results: readonly Kept[],
  known: Spread,
): {
  readonly headline: Headline;
  readonly resultId: string;
  readonly standing: number;
  readonly unranked: string | null;
} | null {
  const standing = Math.min(...results.map((result) => result.standing));
  const best = results.filter((result) => result.standing === standing);
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

/** The middle one by time; of two the slower. */
const middleOf = (results: readonly Kept[]): Kept | undefined =>
  results.toSorted((a, b) => ascending(a.medianNs, b.medianNs))[Math.floor(results.length / 2)];
