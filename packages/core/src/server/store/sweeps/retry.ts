import type { Prisma, PrismaClient } from '@tilemark/db';
import { InputError } from '@tilemark/kernels';
import { KERNEL_STAGE } from '../../../measure/outcome';
import { notifySweep } from '../notices';

/**
 * Puts runs that `failed` back to pending, but for those whose kernel does not compile; returns
 * them to be queued again. Null: no such sweep. Throws InputError if the sweep was cancelled, or
 * if no failed run could end otherwise.
 */
export async function retryFailed(db: PrismaClient, id: string) {
  return db.$transaction(async (tx) => {
    const sweep = await tx.sweep.findUnique({ where: { id } });
    if (!sweep) return null;
    if (sweep.cancelledAt) {
      throw new InputError('The sweep was cancelled: submit it again instead.', 'id');
    }
    const runs = await tx.$queryRaw<{ id: string; deviceKey: string }[]>`
      UPDATE "Run" AS r
      SET "state" = 'pending', "workerId" = NULL, "attempts" = 0,
          "retriedFrom" = "endedAt", "endedAt" = NULL
      WHERE r."sweepId" = ${id} AND r."state" = 'failed' AND NOT EXISTS (
        SELECT FROM "Result" AS result
        WHERE result."runId" = r."id" AND (result."outcome"->>'stage' = ${KERNEL_STAGE}
          -- Its losses are counted, and would be forgotten.
          OR result."outcome"->>'stage' = 'device' AND r."contributed"))
      RETURNING r."id", r."deviceKey"`;
    if (runs.length === 0 && (await tx.run.count({ where: { sweepId: id, state: 'failed' } })))
      throw new InputError(
        'The failed runs did not compile, or a contributed kernel cost a device: correct the kernel, then submit it as a new sweep.',
        'id',
      );
    await tx.result.deleteMany({ where: { runId: { in: runs.map((run) => run.id) } } });
    if (runs.length > 0) await notifySweep(tx, id);
    return runs;
  });
}

/** Failed, and may end otherwise. */
export const RETRIABLE = {
  state: 'failed',
  result: { is: { NOT: { outcome: { path: ['stage'], equals: KERNEL_STAGE } } } },
  NOT: {
    contributed: true,
    result: { is: { outcome: { path: ['stage'], equals: 'device' } } },
  },
} satisfies Prisma.RunWhereInput;
