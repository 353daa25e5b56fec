import { Prisma, type PrismaClient } from '@tilemark/db';
import { type Dtype, isKnownProblem, type OpId } from '@tilemark/kernels';
import type { DeviceRef, Result } from '../../../api/api';
import { KNOWN_WIDTH } from '../../../statistics/summary';
import { deviceRefOf, type VariantBest } from '../columns';
import { importedOf } from '../run-view';

/** A headline with its device, whoever brought its result, and the time that it is placed by. */
export interface Headline extends VariantBest {
  readonly op: OpId;
  readonly dtype: Dtype;
  readonly device: DeviceRef;
  readonly imported: NonNullable<Result['imported']> | null;
  readonly placedNs: number;
}

type Column = keyof VariantBest;

/** The values of columns: one, or one of several. */
type Where = { readonly [Name in Column]?: VariantBest[Name] | readonly VariantBest[Name][] };

/** The columns of a headline's problem, on whichever device. */
export const PROBLEM = ['op', 'dtype', 'shape', 'profile'] as const;

/** `placedNs` of a row with a headline, in SQL. */
export const PLACED_NS = Prisma.sql`(CASE
  WHEN greatest("highNs" - "medianNs", "medianNs" - "lowNs") <= ${KNOWN_WIDTH} * "medianNs"
  THEN "medianNs" ELSE "highNs" END)`;

/**
 * The headlines that all boards read: of problems and kernels that this release knows, those to prefer first:
 * by standing, then by `placedNs`.
 *
 * @param per the first of each alone, of several methodologies of the newest
 * @param also a condition more
 */
export async function headlines(
  db: PrismaClient,
  where: Where,
  { per, also = Prisma.sql`true` }: { per?: readonly Column[]; also?: Prisma.Sql } = {},
): Promise<Headline[]> {
  const keys = per && Prisma.raw(per.map((name) => `"${name}"`).join(', '));
  const all = Object.entries(where).map(([name, value]) => condition(name, value));
  // As one JSON text: 200 devices have thousands, slow to read row by row.
  const [read] = await db.$queryRaw<{ rows: string | null }[]>`
    SELECT json_agg(headline)::text AS "rows" FROM (
      SELECT v.*, ${deviceRefOf('device')}, result."importedBy", result."recordedAt"
      FROM (
        SELECT ${keys ? Prisma.sql`DISTINCT ON (${keys})` : Prisma.empty} *, ${PLACED_NS} AS "placedNs"
        FROM "VariantBest" WHERE ${Prisma.join([...all, also], ' AND ')}
        ${keys ? Prisma.sql`ORDER BY ${keys}, "methodology" DESC, "standing", "placedNs"` : Prisma.empty}
      ) AS v
      JOIN "Device" AS device ON device."key" = v."deviceKey"
      JOIN "Result" AS result ON result."id" = v."resultId"
      ORDER BY v."standing", v."placedNs") AS headline`;
  const rows: (Omit<Headline, 'imported'> & { importedBy: string | null; recordedAt: string })[] =
    JSON.parse(read?.rows ?? '[]');
  return rows.filter(isKnownProblem).map(({ importedBy, recordedAt, ...row }) => ({
    ...row,
    imported: importedOf({ importedBy, recordedAt: new Date(recordedAt) }) ?? null,
  }));
}

/** The types of the columns that are not of text. */
const TYPES: Readonly<Record<string, string>> = {
  methodology: 'int',
  standing: 'int',
  profile: '"Profile"',
};

function condition(name: string, value: unknown): Prisma.Sql {
  const column = Prisma.raw(`"${name}"`);
  // The indices of the bests are of rows for which the column is true.
  if (typeof value === 'boolean') return value ? column : Prisma.sql`NOT ${column}`;
  const type = Prisma.raw(TYPES[name] ?? 'text');
  return Array.isArray(value)
    ? Prisma.sql`${column} = ANY (${value}::${type}[])`
    : Prisma.sql`${column} = ${value}::${type}`;
}
