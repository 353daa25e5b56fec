import type { PrismaClient } from '@tilemark/db';
import type { Store } from '../store';
import { fromJson } from './json';
import { RUN_VIEW, runResult } from './run-view';

export function resultsOf(db: PrismaClient): Store['results'] {
  return {
    async get(id) {
      const row = await db.result.findUnique({
        where: { id },
        include: {
          run: { include: { ...RUN_VIEW, sweep: { select: { id: true, name: true } } } },
          environment: true,
          source: true,
          worker: { select: { id: true, name: true } },
        },
      });
      if (!row) return null;
      return {
        ...runResult(row.run),
        sweep: row.run.sweep,
        environment: fromJson(row.environment.content),
        wgsl: row.source?.wgsl ?? null,
        worker: row.worker,
        createdAt: row.endedAt.toISOString(),
      };
    },
  };
}
