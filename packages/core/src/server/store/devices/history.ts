import type { PrismaClient } from '@tilemark/db';
import { isKnownProblem, parseProblem } from '@tilemark/kernels';
import type { VariantHistory, VersionResult } from '../../../api/device';
import type { VariantBest } from '../columns';

interface Row
  extends Omit<VersionResult, 'since'>,
    Pick<VariantBest, 'op' | 'dtype' | 'shape' | 'profile' | 'address'> {
  readonly since: Date;
}

/** The best variants of a device under each version of driver and runtime; empty with one version. */
export async function deviceHistoryOf(db: PrismaClient, key: string): Promise<VariantHistory[]> {
  if (!(await hasVersions(db, key))) return [];
  const rows = await db.$queryRaw<Row[]>`
    SELECT run."op", run."dtype", run."shape", run."profile"::text, run."address",
      environment."content"->>'driver' AS "driver",
      environment."content"->'runtimeVersions'->>'webgpu' AS "webgpu",
      (array_agg(result."id" ORDER BY result."medianNs"))[1] AS "resultId",
      (array_agg(result."lowNs" ORDER BY result."medianNs"))[1] AS "lowNs",
      (array_agg(result."highNs" ORDER BY result."medianNs"))[1] AS "highNs",
      min(result."medianNs") AS "medianNs", count(*)::int AS "count",
      min(result."endedAt") AS "since"
    FROM (
      SELECT DISTINCT ON ("deviceKey", "op", "dtype", "shape", "profile") * FROM "VariantBest"
      WHERE "isBest" AND "deviceKey" = ${key}
      ORDER BY "deviceKey", "op", "dtype", "shape", "profile", "methodology" DESC) AS best
    JOIN "Result" AS best_result ON best_result."id" = best."resultId"
    JOIN "Run" AS best_run ON best_run."id" = best_result."runId"
    JOIN "Run" AS run ON run."deviceKey" = best."deviceKey" AND run."state" = 'measured'
      AND run."address" = best_run."address" AND run."op" = best."op"
      AND run."dtype" = best."dtype" AND run."shape" = best."shape"
      AND run."profile" = best."profile"
    JOIN "Result" AS result ON result."runId" = run."id" AND result."unranked" IS NULL
      AND result."trusted"
    JOIN "Environment" AS environment ON environment."hash" = result."environmentHash"
    GROUP BY 1, 2, 3, 4, 5, 6, 7
    ORDER BY 1, 2, 4, length(run."shape"), 3, "since"`;
  return variantsOf(rows);
}

/** Whether the device was measured with several versions of driver or runtime: environments are few, results many. */
async function hasVersions(db: PrismaClient, key: string): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>`
    SELECT DISTINCT environment."content"->>'driver',
      environment."content"->'runtimeVersions'->>'webgpu'
    FROM "Device" AS device JOIN "Environment" AS environment
      ON environment."content"->'device'->>'device' = device."name"
      AND environment."content"->'device'->>'vendor' = device."vendor"
      AND environment."content"->'device'->>'architecture' = device."architecture"
      AND environment."content"->'device'->>'backend' = device."backend"
      AND environment."content"->'device'->>'runtime' = device."runtime"
    WHERE device."key" = ${key} LIMIT 2`;
  return rows.length > 1;
}

/** Rows come sorted: those of one variant and problem are adjacent. */
function variantsOf(rows: readonly Row[]): VariantHistory[] {
  const variants = new Map<string, VariantHistory & { versions: VersionResult[] }>();
  for (const { address, dtype, op, profile, shape, since, ...version } of rows.filter(
    isKnownProblem,
  )) {
    const id = [op, dtype, profile, shape, address].join(' ');
    const known = variants.get(id) ?? {
      problem: parseProblem({ op, dtype, shape }),
      profile,
      address,
      versions: [],
    };
    known.versions.push({ ...version, since: since.toISOString() });
    variants.set(id, known);
  }
  return [...variants.values()].filter(({ versions }) => versions.length > 1);
}
