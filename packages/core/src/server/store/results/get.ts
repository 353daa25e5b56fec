import type { PrismaClient } from '@tilemark/db';
import { isKnownProblem } from '@tilemark/kernels';
import type { ResultDetail } from '../../../api/api';
import type { Environment } from '../../../measure/device';
import { fromJson } from '../database';
import { RUN_VIEW, runResult } from '../run-view';

/** One result in full: samples, environment and source. */
export async function getResult(db: PrismaClient, id: string): Promise<ResultDetail | null> {
  const row = await db.result.findUnique({
    where: { id },
    include: {
      run: { include: { ...RUN_VIEW, sweep: { select: { id: true, name: true } } } },
      environment: true,
      source: true,
      worker: { select: { id: true, name: true } },
    },
  });
  // A later release may have measured what this one does not know.
  if (!row || !isKnownProblem(row.run)) return null;
  return {
    ...runResult(row.run),
    sweep: row.run.sweep,
    environment: fromJson<Environment>(row.environment.content),
    wgsl: row.source?.wgsl ?? null,
    worker: row.worker,
    createdAt: row.endedAt.toISOString(),
  };
}
