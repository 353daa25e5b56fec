import type { PrismaClient } from '@tilemark/db';

/**
 * Takes a kernel and its results off the lists and boards, and drops its runs that wait. What
 * was measured stays with the sweeps. False: there is none.
 */
export const removeKernel = (db: PrismaClient, id: string): Promise<boolean> =>
  db.$transaction(async (tx) => {
    const { count } = await tx.contributedKernel.updateMany({
      where: { id, removedAt: null },
      data: { removedAt: new Date() },
    });
    if (count === 0) return false;
    await tx.variantBest.deleteMany({ where: { kernel: id } });
    // A search of it would go on, each of its runs refused.
    await tx.$executeRaw`
      UPDATE "Sweep" SET "cancelledAt" = now()
      WHERE "id" IN (SELECT "sweepId" FROM "Run" WHERE "kernel" = ${id})
        AND "tuning"->>'kernel' = ${id} AND "decision" IS NULL AND "cancelledAt" IS NULL`;
    await tx.run.deleteMany({ where: { kernel: id, state: 'pending' } });
    return true;
  });
