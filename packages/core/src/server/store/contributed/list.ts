import type { PrismaClient } from '@tilemark/db';
import type { ContributedKernel } from '../../../api/kernel';
import { PAGE_SIZE } from '../database';
import { kernelView } from './row';

/** Versions that are published, and those of the token, newest first: of all kernels, or of one. */
export async function listKernels(
  db: PrismaClient,
  tokenId: string | null,
  kernel?: Pick<ContributedKernel, 'author' | 'name'>,
): Promise<ContributedKernel[]> {
  const rows = await db.contributedKernel.findMany({
    where: {
      ...(kernel && { author: kernel.author, name: kernel.name }),
      removedAt: null,
      OR: [{ publishedAt: { not: null } }, { createdById: tokenId ?? '' }],
    },
    orderBy: { createdAt: 'desc' },
    take: PAGE_SIZE,
  });
  return rows.map(kernelView);
}
