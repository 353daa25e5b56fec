import type { PrismaClient } from '@tilemark/db';
import type { ContributedKernel } from '../../../api/kernel';
import { kernelView } from './row';

/** A version; null: there is none, or not any more. */
export async function getKernel(db: PrismaClient, id: string): Promise<ContributedKernel | null> {
  const row = await db.contributedKernel.findUnique({ where: { id, removedAt: null } });
  return row && kernelView(row);
}
