import { Prisma, type PrismaClient } from '@tilemark/db';
import {
  DTYPES,
  type Dtype,
  idsOf,
  kernelById,
  OPS,
  type OpId,
  parseProblem,
  parseShape,
  shapeText,
  volume,
} from '@tilemark/kernels';
import type { DeviceClass, Profile } from '../../../measure/device';
import type { HeadToHead, Pair, PairSide } from '../../../rank/head-to-head';
import type { KernelResultRow, KernelResults } from '../../../view/kernel';
import { rateOf } from '../run-view';

/** Rows of a page: a kernel on more devices than this is read problem by problem anyway. */
const MAX_ROWS = 500;

interface KernelResultsQuery {
  readonly kernel: string;
  readonly dtype?: Dtype | undefined;
  readonly shape?: string | undefined;
  readonly profile?: Profile | undefined;
}

/**
 * A kernel on one problem, device by device; if none is asked for, the problem that most devices
 * have. Throws InputError at `shape`.
 */
export async function kernelResultsOf(
  db: PrismaClient,
  { kernel, dtype, profile, shape }: KernelResultsQuery,
): Promise<KernelResults> {
  const { op } = kernelById(kernel);
  const asked = shape === undefined ? null : shapeText({ op, shape: parseShape(op, shape) });
  const groups = await db.$queryRaw<Group[]>`
    SELECT DISTINCT ON ("dtype", "profile", "shape") ${op} AS "op", "dtype", "shape",
      "profile"::text, "methodology", count(DISTINCT "deviceKey")::int AS "devices"
    FROM "VariantBest" WHERE "kernel" = ${kernel}
    GROUP BY "dtype", "profile", "shape", "methodology"
    ORDER BY "dtype", "profile", "shape", "methodology" DESC`;
  const problems = groups
    .map((group) => ({ ...group, problem: parseProblem(group) }))
    .sort((a, b) => b.devices - a.devices || volume(b.problem) - volume(a.problem));
  const chosen = problems.find(
    (of) =>
      (dtype === undefined || of.dtype === dtype) &&
      (profile === undefined || of.profile === profile) &&
      (asked === null || of.shape === asked),
  );
  return {
    problems: problems.map((of) => ({
      problem: of.problem,
      profile: of.profile,
      devices: of.devices,
    })),
    chosen: chosen ? { problem: chosen.problem, profile: chosen.profile } : null,
    rows: chosen ? await rowsOf(db, kernel, chosen) : [],
  };
}

interface Group {
  /** The newest version of the methodology with results. */
  readonly methodology: number;
  readonly op: OpId;
  readonly dtype: Dtype;
  readonly shape: string;
  readonly profile: Profile;
  readonly devices: number;
}

interface KernelRow extends Omit<KernelResultRow, 'device' | 'rate' | 'partOfBest'> {
  readonly deviceKey: string;
  readonly name: string;
  readonly class: DeviceClass;
  readonly bestNs: number | null;
  readonly bestUnranked: string | null;
}

/** A result that does not count is held against a best that counts neither, or against none. */
const isComparable = (
  { unranked }: Pick<KernelRow, 'unranked'>,
  bestUnranked: string | null,
): boolean => unranked === null || bestUnranked !== null;

/** The kernel's fastest variant of each device, by the preference of `Best`. */
async function rowsOf(db: PrismaClient, kernel: string, group: Group): Promise<KernelResultRow[]> {
  const { dtype, methodology, op, profile, shape } = group;
  const rows = await db.$queryRaw<KernelRow[]>`
    SELECT own.*, device."name", device."class"::text,
      best."medianNs" AS "bestNs", best."unranked" AS "bestUnranked"
    FROM (
      SELECT DISTINCT ON ("deviceKey") "deviceKey", "resultId", "address", "medianNs",
        "lowNs", "highNs", "unranked"
      FROM "VariantBest"
      WHERE "kernel" = ${kernel} AND "dtype" = ${dtype}
        AND "profile" = ${profile}::"Profile" AND "shape" = ${shape}
        AND "methodology" = ${methodology}::int
      ORDER BY "deviceKey", ("unranked" IS NOT NULL), "medianNs"
    ) AS own
    JOIN "Device" AS device ON device."key" = own."deviceKey"
    LEFT JOIN "Best" AS best ON best."deviceKey" = own."deviceKey" AND best."op" = ${op}
      AND best."dtype" = ${dtype} AND best."shape" = ${shape}
      AND best."profile" = ${profile}::"Profile" AND best."methodology" = ${methodology}::int
    ORDER BY own."medianNs" LIMIT ${MAX_ROWS}`;
  const problem = parseProblem(group);
  return rows.map(({ bestNs, bestUnranked, class: kind, deviceKey, name, ...row }) => ({
    ...row,
    device: { key: deviceKey, name, class: kind },
    rate: rateOf(problem, row.medianNs),
    partOfBest: bestNs !== null && isComparable(row, bestUnranked) ? bestNs / row.medianNs : null,
  }));
}

const MAX_PAIRS = 500;

interface PairRow {
  readonly methodology: number;
  readonly op: OpId;
  readonly dtype: Dtype;
  readonly shape: string;
  readonly profile: Profile;
  readonly deviceKey: string;
  readonly name: string;
  readonly class: DeviceClass;
  readonly a: PairSide;
  readonly b: PairSide;
}

/** Two devices by their best variants, or two variants, wherever both were measured. */
export async function headToHeadOf(db: PrismaClient, pair: Pair): Promise<HeadToHead[]> {
  const rows = await db.$queryRaw<PairRow[]>`
    SELECT one."op", one."dtype", one."shape", one."profile"::text, one."methodology",
      one."deviceKey", device."name", device."class"::text,
      ${sideOf('one', 'run_a')} AS "a", ${sideOf('other', 'run_b')} AS "b"
    FROM ${pair.of === 'devices' ? bestOfDevices(pair) : bestOfVariants(pair)}
    JOIN "Device" AS device ON device."key" = one."deviceKey"
    JOIN "Result" AS result_a ON result_a."id" = one."resultId"
    JOIN "Run" AS run_a ON run_a."id" = result_a."runId"
    JOIN "Result" AS result_b ON result_b."id" = other."resultId"
    JOIN "Run" AS run_b ON run_b."id" = result_b."runId"
    ORDER BY array_position(${idsOf(OPS)}::text[], one."op"),
      array_position(${idsOf(DTYPES)}::text[], one."dtype"), one."profile", device."name", length(one."shape"), one."shape",
      one."methodology" DESC
    LIMIT ${MAX_PAIRS}`;
  const place = (row: PairRow) =>
    [row.op, row.dtype, row.shape, row.profile, row.deviceKey].join(' ');
  // Of two methodologies the newer one, which comes first.
  const newest = new Map(rows.toReversed().map((row) => [place(row), row]));
  return [...newest.values()].toReversed().map((row) => ({
    problem: parseProblem(row),
    profile: row.profile,
    device: pair.of === 'devices' ? null : { key: row.deviceKey, name: row.name, class: row.class },
    a: row.a,
    b: row.b,
  }));
}

const bestOfDevices = ({ a, b }: Pair): Prisma.Sql => Prisma.sql`"Best" AS one
  JOIN "Best" AS other ON other."deviceKey" = ${b} AND other."op" = one."op"
    AND other."dtype" = one."dtype" AND other."shape" = one."shape"
    AND other."profile" = one."profile" AND other."methodology" = one."methodology"
    AND one."deviceKey" = ${a}`;

/** The kernel of an address, so that its index is used. */
const kernelOf = (address: string): string => address.split('[')[0] ?? address;

const bestOfVariants = ({ a, b }: Pair): Prisma.Sql => Prisma.sql`"VariantBest" AS one
  JOIN "VariantBest" AS other ON other."deviceKey" = one."deviceKey"
    AND other."op" = one."op" AND other."dtype" = one."dtype" AND other."shape" = one."shape"
    AND other."profile" = one."profile" AND other."methodology" = one."methodology"
    AND other."address" = ${b}
    AND one."kernel" = ${kernelOf(a)} AND one."address" = ${a}`;

/** A headline, with the result nearest to it. */
const sideOf = (row: 'one' | 'other', run: 'run_a' | 'run_b'): Prisma.Sql => {
  const column = (name: string) => Prisma.raw(`${row}."${name}"`);
  return Prisma.sql`jsonb_build_object('resultId', ${column('resultId')},
    'address', ${Prisma.raw(`${run}."address"`)}, 'medianNs', ${column('medianNs')},
    'lowNs', ${column('lowNs')}, 'highNs', ${column('highNs')},
    'invocations', ${column('invocations')}, 'unranked', ${column('unranked')})`;
};
