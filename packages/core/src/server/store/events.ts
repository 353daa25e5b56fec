import type { Prisma, PrismaClient } from '@tilemark/db';

/** The Postgres channel on which sweeps tell of changes. */
export const CHANNEL = 'tilemark_sweeps';

export interface SweepChange {
  readonly sweepId: string;
  /** The run that ended; null when something else changed (claimed, cancelled, retried). */
  readonly runId: string | null;
}

/** Tells every watcher of a sweep; within a transaction, once it has committed. */
export async function notifySweep(
  db: PrismaClient | Prisma.TransactionClient,
  { sweepId, runId }: SweepChange,
): Promise<void> {
  const payload = runId ? `${sweepId} ${runId}` : sweepId;
  await db.$executeRaw`SELECT pg_notify(${CHANNEL}, ${payload})`;
}

export function parseSweepChange(payload: string): SweepChange {
  const [sweepId = '', runId = null] = payload.split(' ');
  return { sweepId, runId };
}
