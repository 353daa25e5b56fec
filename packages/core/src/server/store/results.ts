import type { Prisma, PrismaClient } from '@tilemark/db';
import { isKnownProblem } from '@tilemark/kernels';
import type { Environment } from '../../measure/device';
import { outlierOf } from '../../measure/trust';
import type { ResultDetail } from '../../view/api';
import { byAdmin } from '../gate/parties';
import { type AuditNote, noted } from './audit';
import { moveBests } from './boards/headlines';
import { fromJson } from './database';
import { RUN_VIEW, runResult } from './run-view';

/** A result is compared with this many others, the newest. */
const MAX_OTHERS = 200;

/**
 * Cold medians of the same variant, problem, profile and policy on the same device and driver, ns;
 * by the same party, whose machines alone say what is usual for one of them.
 */
async function othersNs(
  db: PrismaClient,
  { id, party, run }: Pick<ResultRow, 'id' | 'party' | 'run'>,
  driver: string,
): Promise<number[]> {
  const { deviceKey, address, shape, op, dtype, regime, epilogue, profile, policy } = run;
  const others = await db.result.findMany({
    where: {
      id: { not: id },
      medianNs: { not: null },
      unranked: null,
      party,
      run: { deviceKey, address, shape, op, dtype, regime, epilogue, profile, policy },
      environment: { content: { path: ['driver'], equals: driver } },
    },
    select: { medianNs: true },
    orderBy: { endedAt: 'desc' },
    take: MAX_OTHERS,
  });
  return others.flatMap(({ medianNs }) => medianNs ?? []);
}

const DETAIL = {
  run: { include: { ...RUN_VIEW, sweep: { select: { id: true, name: true } } } },
  environment: true,
  source: true,
  worker: { select: { id: true, name: true } },
} satisfies Prisma.ResultInclude;

type ResultRow = Prisma.ResultGetPayload<{ include: typeof DETAIL }>;

async function detailOf(db: PrismaClient, id: string): Promise<ResultDetail | null> {
  const row = await db.result.findUnique({ where: { id }, include: DETAIL });
  // A later release may have measured what this one does not know.
  if (!row || !isKnownProblem(row.run)) return null;
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
}

export function resultsOf(db: PrismaClient) {
  return {
    /** One result in full: samples, environment, source, and how it compares with its like. */
    get: (id: string) => detailOf(db, id),

    /** An admin agrees with a measured result, in their name; null if there is none with this id. */
    async confirm(id: string, by: string, note?: AuditNote): Promise<ResultDetail | null> {
      await db.$transaction(async (tx) => {
        const { count } = await tx.result.updateMany({
          where: { id, medianNs: { not: null }, confirmedBy: null },
          data: { confirmedBy: byAdmin(by) },
        });
        if (count === 0) return;
        await moveBests(tx, [id]);
        await noted(tx, note, id);
      });
      return detailOf(db, id);
    },
  };
}
