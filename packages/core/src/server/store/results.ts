import type { PrismaClient } from '@tilemark/db';
import type { Environment } from '../../environment';
import { outlierOf } from '../../outlier';
import type { Store } from '../store';
import { fromJson } from './json';
import { RUN_VIEW, type RunRow, runResult } from './run-view';

/** Results that one is held against: the newest. */
const MAX_OTHERS = 200;

/** Cold medians of the same variant, problem, profile and policy on the same device and driver, ns. */
async function othersNs(
  db: PrismaClient,
  { id, run }: { readonly id: string; readonly run: RunRow },
  driver: string,
): Promise<number[]> {
  const { deviceKey, address, shape, op, dtype, profile, policy } = run;
  const others = await db.result.findMany({
    where: {
      id: { not: id },
      medianNs: { not: null },
      unranked: null,
      run: { deviceKey, address, shape, op, dtype, profile, policy },
      environment: { content: { path: ['driver'], equals: driver } },
    },
    select: { medianNs: true },
    orderBy: { endedAt: 'desc' },
    take: MAX_OTHERS,
  });
  return others.flatMap(({ medianNs }) => medianNs ?? []);
}

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
      const environment: Environment = fromJson(row.environment.content);
      return {
        ...runResult(row.run),
        outlier:
          row.medianNs === null
            ? null
            : outlierOf(row.medianNs, await othersNs(db, row, environment.driver)),
        sweep: row.run.sweep,
        environment,
        wgsl: row.source?.wgsl ?? null,
        worker: row.worker,
        createdAt: row.endedAt.toISOString(),
      };
    },
  };
}
