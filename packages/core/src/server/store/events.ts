import { PREPARED, type Prisma, type PrismaClient } from '@tilemark/db';

/** The Postgres channel on which changes of sweeps are told, by the sweep's id. */
export const CHANNEL = 'tilemark_sweeps';

/**
 * Wakes every watcher of a sweep; within a transaction, once it has committed. Where nobody was
 * told, because the sender died after its commit, watchers look by themselves within seconds.
 */
export async function notifySweep(
  db: PrismaClient | Prisma.TransactionClient,
  sweepId: string,
): Promise<void> {
  await db.$executeRaw`${PREPARED} SELECT pg_notify(${CHANNEL}, ${sweepId})`;
}
