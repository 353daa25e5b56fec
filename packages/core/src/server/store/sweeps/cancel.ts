import type { PrismaClient } from '@tilemark/db';
import type { Sweep } from '../../../api/api';
import { notifySweep } from '../notices';
import { OPEN } from './list';
import { getSweep } from './views';

/**
 * Ends a sweep; runs that had not begun are dropped. The worker of one already claimed stops at its
 * next heartbeat; a result that comes before then is recorded. Null: no such sweep.
 */
export async function cancelSweep(db: PrismaClient, id: string): Promise<Sweep | null> {
  await db.$transaction(async (tx) => {
    const { count } = await tx.sweep.updateMany({
      where: { id, cancelledAt: null, runs: { some: OPEN } },
      data: { cancelledAt: new Date() },
    });
    if (count === 0) return;
    await tx.run.deleteMany({ where: { sweepId: id, state: 'pending' } });
    await notifySweep(tx, id);
  });
  return getSweep(db, id);
}
