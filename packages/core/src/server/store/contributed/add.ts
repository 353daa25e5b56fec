import type { Prisma, PrismaClient } from '@tilemark/db';
import { type KernelFile, refuseIf } from '@tilemark/kernels';
import type { ContributedKernel } from '../../../api/kernel';
import { readKernel } from '../../../contributed/kernel';
import { LimitReached } from '../../errors';
import type { Principal } from '../principal';
import { kernelView } from './row';

/** Versions that one token may bring in an hour. */
export const VERSIONS_PER_HOUR = 10;

/** Names that would be taken for ours. */
const RESERVED: readonly string[] = ['local', 'matmul', 'transpose', 'tilemark'];

/** The name of a token as the author's of its kernels: `Ada's laptop` -> `ada-s-laptop`. */
export function authorOf({ name }: Pick<Principal, 'name'>): string {
  const text = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const author = text.slice(0, 40).replace(/^-+|-+$/g, '');
  refuseIf(
    author === '' || RESERVED.includes(author),
    `the name of this token, ${name}, cannot be an author's: use a token of another name`,
    'author',
  );
  return author;
}

/**
 * Keeps a version, unlisted. The same source again is the same version. Throws InputError as
 * `readKernel` does, and where another token has the author's name or the version was removed;
 * LimitReached.
 */
export async function addKernel(
  db: PrismaClient,
  file: Omit<KernelFile, 'author'>,
  by: Principal,
): Promise<ContributedKernel> {
  const author = authorOf(by);
  const { kernel, manifest } = await readKernel({ ...file, author });
  const { name } = manifest;
  const row = await db.$transaction(async (tx) => {
    // Of one author at a time: the name is one token's, and its limit is counted and kept in one step.
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext(${`kernels of ${author}`}))`;
    const first = await tx.contributedKernel.findFirst({ where: { author } });
    refuseIf(
      first !== null && first.createdById !== by.tokenId,
      `another token of the name ${author} has brought kernels: use that one, or one of another name`,
      'author',
    );
    const known = await tx.contributedKernel.findUnique({ where: { id: kernel.id } });
    if (!known && (await broughtBy(tx, by.tokenId)) >= VERSIONS_PER_HOUR) {
      throw new LimitReached(
        `This token has brought ${VERSIONS_PER_HOUR} versions in an hour, the most that it may.`,
        3_600,
      );
    }
    await tx.contributedKernel.createMany({
      data: [
        {
          id: kernel.id,
          author,
          name,
          op: manifest.op,
          source: file.source,
          manifest: file.manifest ?? null,
          createdById: by.tokenId,
        },
      ],
      skipDuplicates: true,
    });
    return tx.contributedKernel.findUniqueOrThrow({ where: { id: kernel.id } });
  });
  refuseIf(row.removedAt !== null, `${row.id} was removed: change it first`, 'source');
  return kernelView(row);
}

/** How many versions the token has brought in the last hour. */
async function broughtBy(tx: Prisma.TransactionClient, tokenId: string): Promise<number> {
  const [row] = await tx.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM "ContributedKernel"
    WHERE "createdById" = ${tokenId} AND "createdAt" > now() - interval '1 hour'`;
  return row?.count ?? 0;
}
