import type { PrismaClient } from '@tilemark/db';
import { refuseIf } from '@tilemark/kernels';
import type { ContributedKernel } from '../../../api/kernel';
import { moveBests } from '../boards/move';
import { kernelView } from './row';
import { unprovedOf } from './unproved';

/**
 * From now on it is listed, and its results are on the boards. Null: there is none. Throws
 * InputError where it is not proved right.
 */
export async function publishKernel(
  db: PrismaClient,
  id: string,
): Promise<ContributedKernel | null> {
  const row = await db.contributedKernel.findUnique({ where: { id, removedAt: null } });
  if (!row) return null;
  const unproved = row.publishedAt === null ? await unprovedOf(db, id) : null;
  refuseIf(unproved !== null, `${id} cannot be published: ${unproved}`, 'id');
  await db.$transaction(async (tx) => {
    const { count } = await tx.contributedKernel.updateMany({
      where: { id, publishedAt: null, removedAt: null },
      data: { publishedAt: new Date() },
    });
    if (count === 0) return;
    await tx.$executeRaw`
      UPDATE "Sweep" SET "unlisted" = false
      WHERE "unlisted" AND NOT names_unlisted_kernel("spec")`;
    const results = await tx.result.findMany({
      // Those of its check are of no interest on boards.
      where: { medianNs: { not: null }, run: { kernel: id, policy: { not: 'smoke' } } },
      select: { id: true },
      orderBy: { endedAt: 'asc' },
    });
    await moveBests(
      tx,
      results.map((result) => result.id),
    );
  });
  return kernelView({ ...row, publishedAt: row.publishedAt ?? new Date() });
}
