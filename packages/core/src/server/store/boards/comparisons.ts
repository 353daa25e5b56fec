import { Prisma, type PrismaClient } from '@tilemark/db';
import {
  CEILINGS,
  type Dtype,
  isKnownProblem,
  kernelById,
  kernelOf,
  type OpId,
  type Problem,
  parseProblem,
  parseShape,
  rateOf,
  shapeText,
  volume,
} from '@tilemark/kernels';
import { greatest, group } from 'd3-array';
import type { Profile } from '../../../measure/device';
import { IMPLAUSIBLE } from '../../../measure/trust';
import type { HeadToHead, Pair, PairSide } from '../../../rank/head-to-head';
import { FEWEST_OF_INTERVAL } from '../../../statistics/interval-name';
import type { KernelResultRow, KernelResults } from '../../../view/kernel';
import { isUsual } from '../columns';
import { deviceRefOf } from '../fleet';
import { byKind, importedOf } from '../run-view';
import { PROVEN_NS } from './headlines';
import { type Counts, problemToOpen } from './leaderboard';

/** Rows of a page: a kernel on more devices than this is read problem by problem anyway. */
const MAX_ROWS = 500;

interface KernelResultsQuery {
  readonly kernel: string;
  readonly dtype?: Dtype | undefined;
  readonly shape?: string | undefined;
  readonly profile?: Profile | undefined;
}

/**
 * A kernel on one problem, device by device; what is not asked for is chosen as the board chooses
 * its problem (`problemToOpen`). Throws InputError at `shape`.
 */
export async function kernelResultsOf(
  db: PrismaClient,
  { kernel, dtype, profile, shape }: KernelResultsQuery,
): Promise<KernelResults> {
  const { op } = kernelById(kernel);
  const asked = shape === undefined ? null : shapeText({ op, shape: parseShape(op, shape) });
  const groups = await db.$queryRaw<Group[]>`
    SELECT DISTINCT ON ("dtype", "profile", "shape") ${op} AS "op", "dtype", "shape",
      "profile"::text, "methodology", count(DISTINCT "deviceKey")::int AS "devices",
      (count(DISTINCT "deviceKey") FILTER (WHERE "class" = 'gpu'))::int AS "gpus",
      (count(DISTINCT "deviceKey") FILTER (WHERE "unranked" IS NULL))::int AS "rankedDevices",
      (count(DISTINCT "deviceKey") FILTER (WHERE "class" = 'gpu' AND "unranked" IS NULL))::int
        AS "rankedGpus"
    FROM "VariantBest" JOIN "Device" AS device ON device."key" = "deviceKey"
    WHERE "kernel" = ${kernel}
    GROUP BY "dtype", "profile", "shape", "methodology"
    ORDER BY "dtype", "profile", "shape", "methodology" DESC`;
  const problems = groups
    .filter(isKnownProblem)
    .map((group) => ({ ...group, problem: parseProblem(group) }))
    .sort((a, b) => b.devices - a.devices || volume(b.problem) - volume(a.problem));
  const chosen = kindToOpen(
    problems.filter(
      (row) =>
        (dtype === undefined || row.dtype === dtype) &&
        (profile === undefined || row.profile === profile) &&
        (asked === null || row.shape === asked),
    ),
  );
  return {
    problems: problems.map((row) => ({
      problem: row.problem,
      profile: row.profile,
      devices: row.devices,
    })),
    chosen: chosen ? { problem: chosen.problem, profile: chosen.profile } : null,
    rows: chosen ? await rowsOf(db, kernel, chosen) : [],
  };
}

/**
 * Of the dtypes and profiles those that say most of a kernel: ranked before unranked, of GPUs before
 * others, f32 before other dtypes, `default` before `fast`; of their problems the board's choice.
 */
function kindToOpen<Of extends Group & { readonly problem: Problem }>(
  all: readonly Of[],
): Of | undefined {
  const kinds = [...group(all, (row) => `${row.dtype} ${row.profile}`).values()].map((alike) => {
    const [first] = alike;
    const some = (count: keyof Counts) => Number(alike.some((row) => row[count] > 0));
    const usual = [Number(first?.dtype === 'f32'), Number(first?.profile === 'default')];
    const weight = [some('rankedGpus'), some('rankedDevices'), some('gpus'), ...usual];
    return { alike, weight: weight.join('') };
  });
  const most = greatest(kinds, ({ weight }) => weight)?.alike ?? [];
  const ranked = most.filter(({ rankedDevices }) => rankedDevices > 0);
  const problem = problemToOpen(ranked.length > 0 ? ranked : most);
  return most.find((row) => row.problem === problem);
}

interface Group extends Counts {
  /** The newest version of the methodology with results. */
  readonly methodology: number;
  readonly op: OpId;
  readonly dtype: Dtype;
  readonly shape: string;
  readonly profile: Profile;
}

type KernelRow = Omit<KernelResultRow, 'imported' | 'rate' | 'partOfBest'> & {
  readonly importedBy: string | null;
  readonly recordedAt: Date;
  readonly provenNs: number;
  readonly bestNs: number | null;
  readonly bestUnranked: string | null;
};

/** A result that does not count is held against a best that counts neither, or against none. */
const isComparable = (
  { unranked }: Pick<KernelRow, 'unranked'>,
  bestUnranked: string | null,
): boolean => unranked === null || bestUnranked !== null;

/** The kernel's fastest variant of each device, as the board prefers. */
async function rowsOf(db: PrismaClient, kernel: string, group: Group): Promise<KernelResultRow[]> {
  const { dtype, methodology, op, profile, shape } = group;
  const rows = await db.$queryRaw<KernelRow[]>`
    SELECT first."resultId", first."address", first."medianNs", first."lowNs", first."highNs",
      first."unranked", result."importedBy", result."recordedAt", ${deviceRefOf('device')},
      first."provenNs", best."provenNs" AS "bestNs", best."unranked" AS "bestUnranked"
    FROM (
      SELECT DISTINCT ON ("deviceKey") "deviceKey", "resultId", "address", "medianNs",
        "lowNs", "highNs", "unranked", ${PROVEN_NS} AS "provenNs"
      FROM "VariantBest"
      WHERE "kernel" = ${kernel} AND "dtype" = ${dtype}
        AND "profile" = ${profile}::"Profile" AND "shape" = ${shape}
        AND "methodology" = ${methodology}::int
      ORDER BY "deviceKey", ("unranked" IS NOT NULL), ${PROVEN_NS}
    ) AS first
    JOIN "Device" AS device ON device."key" = first."deviceKey"
    JOIN "Result" AS result ON result."id" = first."resultId"
    LEFT JOIN (SELECT *, ${PROVEN_NS} AS "provenNs" FROM "VariantBest" WHERE "isBest") AS best
      ON best."deviceKey" = first."deviceKey" AND best."op" = ${op}
      AND best."dtype" = ${dtype} AND best."shape" = ${shape}
      AND best."profile" = ${profile}::"Profile" AND best."methodology" = ${methodology}::int
    ORDER BY first."medianNs" LIMIT ${MAX_ROWS}`;
  const problem = parseProblem(group);
  return rows.map(({ bestNs, bestUnranked, importedBy, provenNs, recordedAt, ...row }) => ({
    ...row,
    imported: importedOf({ importedBy, recordedAt }) ?? null,
    rate: rateOf(problem, row.medianNs),
    partOfBest: bestNs !== null && isComparable(row, bestUnranked) ? bestNs / provenNs : null,
  }));
}

const MAX_PAIRS = 500;

/** A headline, and where it is from. */
const HEADLINE = {
  device: { select: { key: true, name: true, class: true } },
} satisfies Prisma.VariantBestInclude;

type HeadlineRow = Prisma.VariantBestGetPayload<{ include: typeof HEADLINE }>;

/** A kernel on a problem under a profile, on the device that is fastest there by `provenNs`. */
interface KernelBestRow {
  readonly kernel: string;
  readonly problem: Problem;
  readonly profile: Profile;
  readonly device: string;
  readonly resultId: string;
  readonly medianNs: number;
  /** Why it is not ranked; null when it is. */
  readonly unranked: string | null;
  readonly isImported: boolean;
}

type FoundBest = Omit<KernelBestRow, 'problem'> & {
  readonly op: string;
  readonly dtype: string;
  readonly shape: string;
};

/** A result that a fault of measuring may explain is nobody's best. */
const PLAUSIBLE = Prisma.sql`("unranked" IS NULL OR NOT starts_with("unranked", ${IMPLAUSIBLE}))`;

/**
 * Of each of our kernels, its row on the fastest device of each problem: the variant that the board
 * places first there, ranked where one is, of the newest methodology.
 */
export async function kernelBestsOf(db: PrismaClient): Promise<KernelBestRow[]> {
  const ladders = db.$queryRaw<FoundBest[]>`
    SELECT DISTINCT ON ("kernel", "op", "dtype", "shape", "profile") first.*,
      device."name" AS "device", result."importedBy" IS NOT NULL AS "isImported"
    FROM (
      SELECT DISTINCT ON ("kernel", "op", "dtype", "shape", "profile", "deviceKey")
        "kernel", "op", "dtype", "shape", "profile"::text, "deviceKey", "resultId", "medianNs",
        "unranked", ${PROVEN_NS} AS "provenNs"
      FROM "VariantBest" WHERE strpos("kernel", '@') = 0 AND ${PLAUSIBLE}
      ORDER BY "kernel", "op", "dtype", "shape", "profile", "deviceKey", "methodology" DESC,
        "unranked" IS NOT NULL, ${PROVEN_NS}
    ) AS first
    JOIN "Device" AS device ON device."key" = first."deviceKey"
    JOIN "Result" AS result ON result."id" = first."resultId"
    ORDER BY "kernel", "op", "dtype", "shape", "profile", "provenNs"`;
  const rows = (await Promise.all([ladders, ceilingBests(db)])).flat();
  return rows.filter(isKnownProblem).map(({ op, dtype, shape, ...row }) => ({
    ...row,
    problem: parseProblem({ op, dtype, shape }),
  }));
}

/**
 * The same of each ceiling, which has no headlines: the run in the middle of a variant's, of two the
 * slower, of those of a policy that ranks where there are some.
 */
const ceilingBests = (db: PrismaClient) => db.$queryRaw<FoundBest[]>`
  SELECT DISTINCT ON ("kernel", "op", "dtype", "shape", "profile")
    "kernel", "op", "dtype", "shape", "profile", device."name" AS "device", "resultId", "medianNs",
    coalesce("unranked", 'a ceiling') AS "unranked", "isImported"
  FROM (
    SELECT *, row_number() OVER (PARTITION BY ${CEILING_OF} ORDER BY "medianNs") AS "place",
      count(*) OVER (PARTITION BY ${CEILING_OF}) AS "runs"
    FROM (
      SELECT run."kernel", run."op", run."dtype", run."shape", run."profile"::text,
        run."address", run."deviceKey", result."id" AS "resultId", result."medianNs",
        result."unranked", result."importedBy" IS NOT NULL AS "isImported",
        min((result."unranked" IS NOT NULL)::int) OVER (PARTITION BY run."deviceKey",
          run."address", run."dtype", run."shape", run."profile") AS "standing"
      FROM "Run" AS run JOIN "Result" AS result ON result."runId" = run."id"
      WHERE run."kernel" = ANY(${[...CEILINGS]}) AND ${isUsual('run')}
        AND result."medianNs" IS NOT NULL AND ${PLAUSIBLE}
    ) AS measured WHERE ("unranked" IS NOT NULL)::int = "standing"
  ) AS placed JOIN "Device" AS device ON device."key" = "deviceKey"
  WHERE "place" = "runs" / 2 + 1
  ORDER BY "kernel", "op", "dtype", "shape", "profile", "medianNs"`;

const CEILING_OF = Prisma.sql`"deviceKey", "address", "dtype", "shape", "profile"`;

/** Two devices by their best variants, or two variants, wherever both were measured. */
export async function headToHeadOf(db: PrismaClient, { a, b, of }: Pair): Promise<HeadToHead[]> {
  const rows = await db.variantBest.findMany({
    where:
      of === 'devices'
        ? { isBest: true, deviceKey: { in: [a, b] } }
        : // With the kernel, so that its index is used.
          { OR: [a, b].map((address) => ({ address, kernel: kernelOf(address) })) },
    include: HEADLINE,
  });
  const sideOf = (row: HeadlineRow) => (of === 'devices' ? row.deviceKey : row.address);
  const place = ({ deviceKey, dtype, op, profile, shape }: HeadlineRow) =>
    [op, dtype, profile, shape, of === 'devices' ? '' : deviceKey].join(' ');
  // Of two methodologies the newer one.
  const newest = rows.toSorted((x, y) => y.methodology - x.methodology);
  const ranges = await rangesOf(db, newest);
  const pairSide = ({ resultId, ...row }: HeadlineRow): PairSide => ({
    resultId,
    address: row.address,
    medianNs: row.medianNs,
    lowNs: row.lowNs,
    highNs: row.highNs,
    invocations: row.invocations,
    unranked: row.unranked,
    isRange: ranges.has(resultId),
  });
  return [...group(newest, place).values()]
    .flatMap((headlines) => {
      const one = headlines.find(
        (row) =>
          sideOf(row) === a &&
          headlines.some((other) => sideOf(other) === b && other.methodology === row.methodology),
      );
      const other = headlines.find(
        (row) => sideOf(row) === b && row.methodology === one?.methodology,
      );
      if (!one || !other || !isKnownProblem(one)) return [];
      const device = of === 'devices' ? null : one.device;
      const problem = parseProblem(one);
      return { problem, profile: one.profile, device, a: pairSide(one), b: pairSide(other) };
    })
    .toSorted(
      (x, y) =>
        byKind(x, y) ||
        (x.device?.name ?? '').localeCompare(y.device?.name ?? '') ||
        volume(x.problem) - volume(y.problem),
    )
    .slice(0, MAX_PAIRS);
}

/** Of single invocations, the results whose samples are too few for an interval. */
export async function rangesOf(
  db: PrismaClient,
  rows: readonly Pick<HeadlineRow, 'invocations' | 'resultId'>[],
): Promise<ReadonlySet<string>> {
  const ids = rows.flatMap(({ invocations, resultId }) => (invocations === 1 ? [resultId] : []));
  const found = await db.$queryRaw<{ id: string }[]>`
    SELECT "id" FROM "Result" WHERE "id" = ANY(${ids}) AND coalesce(
      ("outcome" -> 'measurement' -> 'cold' -> 'independent')::float8, cardinality("coldSamplesNs")
    ) < ${FEWEST_OF_INTERVAL}`;
  return new Set(found.map(({ id }) => id));
}
