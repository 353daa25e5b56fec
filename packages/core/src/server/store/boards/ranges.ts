import type { PrismaClient } from '@tilemark/db';
import { FEWEST_OF_INTERVAL } from '../../../statistics/interval-name';
import type { VariantBest } from '../columns';

/** The results of single invocations whose samples are too few for an interval. */
export async function rangesOf(
  db: PrismaClient,
  rows: readonly Pick<VariantBest, 'invocations' | 'resultId'>[],
): Promise<ReadonlySet<string>> {
  const ids = rows.flatMap(({ invocations, resultId }) => (invocations === 1 ? [resultId] : []));
  const found = await db.$queryRaw<{ id: string }[]>`
    SELECT "id" FROM "Result" WHERE "id" = ANY(${ids}) AND coalesce(
      ("outcome" -> 'measurement' -> 'cold' -> 'independent')::float8, cardinality("coldSamplesNs")
    ) < ${FEWEST_OF_INTERVAL}`;
  return new Set(found.map(({ id }) => id));
}
