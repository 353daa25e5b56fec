import type { PrismaClient } from '@tilemark/db';
import type { ResultDetail } from '../../../api/api';
import { moveBests } from '../boards/move';
import { moveRoofsOf } from '../roofs/move';
import { getResult } from './get';

/** An admin vouches for a measured result, which then decides; null if there is none with this id. */
export async function confirmResult(
  db: PrismaClient,
  id: string,
  by: string,
): Promise<ResultDetail | null> {
  await db.$transaction(async (tx) => {
    const { count } = await tx.result.updateMany({
      where: { id, medianNs: { not: null }, trusted: false },
      data: { confirmedBy: by, trusted: true },
    });
    if (count === 0) return;
    await moveBests(tx, [id]);
    await moveRoofsOf(tx, { resultId: id });
  });
  return getResult(db, id);
}
