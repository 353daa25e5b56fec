import type { PrismaClient } from '@tilemark/db';
import { InputError, isKnownProblem } from '@tilemark/kernels';
import type { Page, Result } from '../../../api/api';
import type { ResultKinds } from '../../../api/csv';
import { PAGE_SIZE, pageOf } from '../database';
import { RUN_VIEW, runResult } from '../run-view';

/** A page of results ends with the run that reaches it: some megabytes. */
const SAMPLES_PER_PAGE = 250_000;
/** The largest `integer` of Postgres. */
const LAST_ORDINAL = 2 ** 31 - 1;

/** A page of the runs of a sweep with their results. */
export async function sweepResults(
  db: PrismaClient,
  id: string,
  cursor?: string,
): Promise<Page<Result>> {
  const after = cursor === undefined ? -1 : Number(cursor);
  if (cursor !== undefined && !(/^\d+$/.test(cursor) && after <= LAST_ORDINAL)) {
    throw new InputError(`'${cursor}' is not a cursor of this list.`, 'cursor');
  }
  const page = await db.$queryRaw<{ ordinal: number; samplesBefore: number }[]>`
    SELECT run."ordinal", coalesce(sum(
      cardinality(result."coldSamplesNs") + cardinality(result."hotSamplesNs"))
      OVER (ORDER BY run."ordinal" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::int
      AS "samplesBefore"
    FROM (SELECT "id", "ordinal" FROM "Run" WHERE "sweepId" = ${id} AND "ordinal" > ${after}
        AND NOT ("isSearch" AND "endedAt" IS NULL)
      ORDER BY "ordinal" LIMIT ${PAGE_SIZE + 1}) AS run
    LEFT JOIN "Result" AS result ON result."runId" = run."id" ORDER BY run."ordinal"`;
  const fitting = page.filter(({ samplesBefore }) => samplesBefore < SAMPLES_PER_PAGE);
  const { items, nextCursor } = pageOf(fitting, ({ ordinal }) => String(ordinal));
  const last = items.at(-1);
  const more = fitting.length < page.length && last ? String(last.ordinal) : nextCursor;
  const rows = await db.run.findMany({
    where: { sweepId: id, ordinal: { in: items.map(({ ordinal }) => ordinal) } },
    orderBy: { ordinal: 'asc' },
    include: RUN_VIEW,
  });
  return { items: rows.filter(isKnownProblem).map(runResult), nextCursor: more };
}

/** The columns that its results have beside those of every result. */
export async function resultKinds(db: PrismaClient, id: string): Promise<ResultKinds> {
  const [row] = await db.$queryRaw<ResultKinds[]>`
    SELECT array(SELECT DISTINCT "op" FROM "Run" WHERE "sweepId" = ${id} ORDER BY 1) AS "ops",
      array(SELECT DISTINCT jsonb_object_keys("tunables") FROM "Run"
        WHERE "sweepId" = ${id} ORDER BY 1) AS "tunables"`;
  return row ?? { ops: [], tunables: [] };
}
