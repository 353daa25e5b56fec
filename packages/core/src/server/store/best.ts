import { PREPARED, type Prisma } from '@tilemark/db';
import { KERNELS } from '@tilemark/kernels';
import type { Outcome } from '../../outcome';

/** A measured result that may become the best of its device, problem and profile. */
export interface BestCandidate {
  readonly resultId: string;
  readonly kernel: string;
  readonly address: string;
  readonly deviceKey: string;
  readonly op: string;
  readonly dtype: string;
  readonly shape: string;
  readonly profile: string;
  readonly measuredAt: string;
}

/** The floor of a ladder, on the GPU or the host: what speed-ups are taken over. */
const isNaive = (kernel: string): boolean => /\/(cpu-)?naive$/.test(kernel);

/** A ceiling does other work than the problem's (copy): it is shown beside, never ranked. */
const isCeiling = (id: string): boolean =>
  KERNELS.some((kernel) => kernel.id === id && kernel.computes === 'copy');

/**
 * Makes a measured result the best of its variant, and of its device, problem and profile, where
 * it is: a rankable one comes before one that is not, then the faster. Each row is moved by one
 * statement, so concurrent results cannot overwrite each other. The best naive kernel is kept in
 * columns of its own.
 */
export async function moveBest(
  tx: Prisma.TransactionClient,
  candidate: BestCandidate,
  { measurement }: Extract<Outcome, { kind: 'measured' }>,
): Promise<void> {
  const { resultId, kernel, address, deviceKey, op, dtype, shape, profile, measuredAt } = candidate;
  if (isCeiling(kernel)) return;
  const { cold, unranked } = measurement;
  await tx.$executeRaw`
    ${PREPARED} WITH of_variant AS (
      INSERT INTO "VariantBest" AS b ("deviceKey", "op", "dtype", "shape", "profile", "address",
        "kernel", "resultId", "medianNs", "unranked")
      VALUES (${deviceKey}, ${op}::"Op", ${dtype}::"Dtype", ${shape}, ${profile}::"Profile",
        ${address}, ${kernel}, ${resultId}, ${cold.medianNs}, ${unranked})
      ON CONFLICT ("deviceKey", "op", "dtype", "shape", "profile", "address") DO UPDATE
      SET "resultId" = EXCLUDED."resultId", "medianNs" = EXCLUDED."medianNs",
        "unranked" = EXCLUDED."unranked"
      WHERE (EXCLUDED."unranked" IS NOT NULL, EXCLUDED."medianNs")
          < (b."unranked" IS NOT NULL, b."medianNs"))
    INSERT INTO "Best" AS b ("deviceKey", "op", "dtype", "shape", "profile",
      "resultId", "medianNs", "lowNs", "highNs", "unranked", "measuredAt")
    VALUES (${deviceKey}, ${op}::"Op", ${dtype}::"Dtype", ${shape}, ${profile}::"Profile",
      ${resultId}, ${cold.medianNs}, ${cold.lowNs}, ${cold.highNs}, ${unranked},
      ${measuredAt}::timestamptz)
    ON CONFLICT ("deviceKey", "op", "dtype", "shape", "profile") DO UPDATE
    SET "resultId" = EXCLUDED."resultId", "medianNs" = EXCLUDED."medianNs",
      "lowNs" = EXCLUDED."lowNs", "highNs" = EXCLUDED."highNs",
      "unranked" = EXCLUDED."unranked", "measuredAt" = EXCLUDED."measuredAt"
    WHERE (EXCLUDED."unranked" IS NOT NULL, EXCLUDED."medianNs")
        < (b."unranked" IS NOT NULL, b."medianNs")`;
  if (!isNaive(kernel)) return;
  await tx.$executeRaw`
    UPDATE "Best" AS b
    SET "naiveResultId" = ${resultId}, "naiveMedianNs" = ${cold.medianNs},
      "naiveUnranked" = ${unranked}
    WHERE "deviceKey" = ${deviceKey} AND "op" = ${op}::"Op" AND "dtype" = ${dtype}::"Dtype"
      AND "shape" = ${shape} AND "profile" = ${profile}::"Profile"
      AND (b."naiveResultId" IS NULL
        OR (${unranked}::text IS NOT NULL, ${cold.medianNs}::float8)
          < (b."naiveUnranked" IS NOT NULL, b."naiveMedianNs"))`;
}
