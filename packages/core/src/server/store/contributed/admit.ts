import type { PrismaClient } from '@tilemark/db';
import { fileOf, InputError, isContributed } from '@tilemark/kernels';
import { admitKernel } from '../../../contributed/kernel';
import { fileIn } from './row';

type Reader = Pick<PrismaClient, 'contributedKernel'>;

/**
 * Makes the contributed ones among these ids known to this process. Throws InputError at `field`
 * for one that the grid does not have, or not any more.
 */
export async function admitKernels(
  db: Reader,
  ids: readonly string[],
  field = 'kernel',
): Promise<void> {
  for (const id of new Set(ids.filter(isContributed))) {
    const row = await db.contributedKernel.findUnique({ where: { id } });
    if (!row || row.removedAt) {
      const what = row ? `${id} was removed` : `There is no kernel ${id}`;
      throw new InputError(`${what}. POST it to /api/v1/kernels first.`, field);
    }
    if (!fileOf(id)) await admitKernel(fileIn(row));
  }
}

/** Makes a stored kernel known to this process, removed or not: its results are still reconsidered. */
export async function admitStored(db: Reader, id: string): Promise<void> {
  if (!isContributed(id) || fileOf(id)) return;
  const row = await db.contributedKernel.findUnique({ where: { id } });
  if (row) await admitKernel(fileIn(row));
}
