import type { Prisma, PrismaClient } from '@tilemark/db';
import { notifySweep } from '../notices';
import { isLost } from './lost';

/** A worker that may not go on, and the runs that it had in hand. */
export interface CutOff {
  readonly workerId: string;
  readonly released: readonly { id: string; deviceKey: string }[];
}

/** Clean end: the worker is no longer listed. */
export async function detachWorker(db: PrismaClient, workerId: string): Promise<void> {
  await db.$executeRaw`
    UPDATE "Worker" SET "detachedAt" = now() WHERE "id" = ${workerId} AND "detachedAt" IS NULL`;
}

/**
 * Takes a worker off the list, gives its run back, and lets it in again only with a token made
 * later. One that runs on the grid's own account is only taken off the list, and only once it is
 * lost. Null: no such worker is attached.
 */
export const revokeWorker = (
  db: PrismaClient,
  workerId: string,
): Promise<CutOff | 'own account' | null> =>
  db.$transaction(async (tx) => {
    // If two revoke it at once, the second waits here and then finds it detached.
    const [worker] = await tx.$queryRaw<{ tokenId: string | null; isLost: boolean }[]>`
      SELECT w."tokenId", ${isLost('w')} AS "isLost"
      FROM "Worker" AS w WHERE w."id" = ${workerId} AND w."detachedAt" IS NULL
      FOR NO KEY UPDATE OF w`;
    if (!worker) return null;
    if (worker.tokenId === null && !worker.isLost) return 'own account';
    await tx.$executeRaw`
      WITH revoked AS (
        UPDATE "Worker" SET "detachedAt" = now(), "revokedAt" = now() WHERE "id" = ${workerId}
        RETURNING "tokenId")
      UPDATE "Token" SET "closedAt" = now() FROM revoked WHERE "id" = revoked."tokenId"`;
    return { workerId, released: await releaseRuns(tx, workerId, false) };
  });

/** Takes those off the list whose token has ended, and gives their runs back. */
export const endAccess = (db: PrismaClient): Promise<CutOff[]> =>
  db.$transaction(async (tx) => {
    const ended = await tx.$queryRaw<{ id: string }[]>`
      UPDATE "Worker" AS w SET "detachedAt" = now() FROM "Token" AS t
      WHERE t."id" = w."tokenId" AND w."detachedAt" IS NULL
        AND (t."revokedAt" IS NOT NULL OR t."expiresAt" <= now())
      RETURNING w."id"`;
    const cutOff: CutOff[] = [];
    for (const { id } of ended) {
      cutOff.push({ workerId: id, released: await releaseRuns(tx, id, false) });
    }
    return cutOff;
  });

/**
 * A worker's runs in hand wait again.
 *
 * @param mayEnd whether it may still end them: the results may be in its journal
 */
export async function releaseRuns(
  tx: Prisma.TransactionClient,
  workerId: string,
  mayEnd: boolean,
): Promise<{ id: string; deviceKey: string }[]> {
  const rows = await tx.$queryRaw<{ id: string; deviceKey: string; sweepId: string }[]>`
    UPDATE "Run" SET "state" = 'pending', "workerId" = ${mayEnd ? workerId : null}
    WHERE "state" = 'running' AND "workerId" = ${workerId}
    RETURNING "id", "deviceKey", "sweepId"`;
  for (const sweepId of new Set(rows.map((row) => row.sweepId))) await notifySweep(tx, sweepId);
  return rows.map(({ id, deviceKey }) => ({ id, deviceKey }));
}
