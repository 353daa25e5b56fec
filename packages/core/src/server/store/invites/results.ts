import type { PrismaClient } from '@tilemark/db';
import { isKnownProblem } from '@tilemark/kernels';
import type { Page, Result } from '../../../api/api';
import { PAGE_SIZE, pageOf } from '../database';
import { RUN_WITHOUT_SAMPLES, resultWithoutSamples } from '../run-view';

/** The results of those who joined with an invite, the first first, without samples. */
export async function inviteResults(
  db: PrismaClient,
  id: string,
  cursor?: string,
): Promise<Page<Result>> {
  const page = await db.$queryRaw<{ id: string; runId: string }[]>`
    SELECT result."id", result."runId" FROM "Token" AS token
    JOIN "Worker" AS worker ON worker."tokenId" = token."id"
    JOIN "Result" AS result ON result."workerId" = worker."id"
    WHERE token."inviteId" = ${id} AND result."id" > ${cursor ?? ''}
    ORDER BY result."id" LIMIT ${PAGE_SIZE + 1}`;
  const { items, nextCursor } = pageOf(page, (row) => row.id);
  const rows = await db.run.findMany({
    where: { id: { in: items.map(({ runId }) => runId) } },
    include: RUN_WITHOUT_SAMPLES,
    orderBy: { result: { id: 'asc' } },
  });
  return { items: rows.filter(isKnownProblem).map(resultWithoutSamples), nextCursor };
}
