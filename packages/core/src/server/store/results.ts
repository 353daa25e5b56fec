import type { Prisma, PrismaClient } from '@tilemark/db';
import { isKnownProblem, shapeText } from '@tilemark/kernels';
import type { Environment } from '../../measure/device';
import { outlierOf } from '../../measure/trust';
import type { Interval } from '../../rank/headline';
import type { Sampled } from '../../statistics/interval-name';
import type { ResultDetail } from '../../view/api';
import type { SoftwareVersion } from '../../view/device';
import { byAdmin } from '../gate/parties';
import { type AuditNote, noted } from './audit';
import { moveBests } from './boards/headlines';
import { fromJson } from './database';
import { RUN_VIEW, runResult } from './run-view';

/** One of the measurements of a variant over time. */
export interface DatedResult extends SoftwareVersion, Interval, Sampled {
  readonly resultId: string;
  readonly endedAt: Date;
}

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
  const { deviceKey, address, shape, op, dtype, profile, policy } = run;
  const others = await db.result.findMany({
    where: {
      id: { not: id },
      medianNs: { not: null },
      unranked: null,
      party,
      run: { deviceKey, address, shape, op, dtype, profile, policy },
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

    /** The newest measurements of the same variant, problem, and profile on its device, oldest first. */
    async over({
      address,
      device,
      problem,
      profile,
    }: Pick<ResultDetail, 'address' | 'device' | 'problem' | 'profile'>): Promise<DatedResult[]> {
      const rows = await db.$queryRaw<DatedResult[]>`
        SELECT result."id" AS "resultId", result."endedAt", result."medianNs",
          coalesce(result."lowNs", result."medianNs") AS "lowNs",
          coalesce(result."highNs", result."medianNs") AS "highNs", cardinality(result."coldSamplesNs") AS "n",
          (result."outcome" -> 'measurement' -> 'cold' -> 'independent')::float8 AS "independent",
          environment."content"->>'driver' AS "driver",
          environment."content"->'runtimeVersions'->>'webgpu' AS "webgpu"
        FROM "Run" AS run
        JOIN "Result" AS result ON result."runId" = run."id"
        JOIN "Environment" AS environment ON environment."hash" = result."environmentHash"
        WHERE run."deviceKey" = ${device.key} AND run."address" = ${address}
          AND run."op" = ${problem.op} AND run."dtype" = ${problem.dtype}
          AND run."shape" = ${shapeText(problem)} AND run."profile" = ${profile}::"Profile"
          AND run."state" = 'measured'
        ORDER BY result."endedAt" DESC LIMIT ${MAX_OTHERS}`;
      return rows.toReversed();
    },

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
