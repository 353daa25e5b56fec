import type { Prisma, PrismaClient } from '@tilemark/db';
import { InputError, refuseIf } from '@tilemark/kernels';
import { readKernel } from '../../contributed/kernel';
import { isContributed } from '../../contributed/known';
import type { KernelFile } from '../../contributed/manifest';
import type { ContributedKernel } from '../../view/kernel';
import { LimitReached } from '../errors';
import { type AuditNote, noted, type Principal } from './audit';
import { forgetVariants, moveBests } from './boards/headlines';
import { contributedResultsOf } from './contributed-results';
import { admitStored, type KernelRow, overTime } from './contributed-runs';
import { PAGE_SIZE, withIsoDates } from './database';

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

export function contributedOf(db: PrismaClient) {
  const rowOf = (id: string) => db.contributedKernel.findUnique({ where: { id } });

  /** Whether a version has results, and none but incorrect ones: it cannot be published then. */
  async function isWrong(id: string): Promise<boolean> {
    const one = (state: 'incorrect' | 'measured') =>
      db.run.findFirst({ where: { kernel: id, state }, select: { id: true } });
    return (await one('measured')) === null && (await one('incorrect')) !== null;
  }

  return {
    isWrong,

    /**
     * Keeps a version, unlisted. The same source again is the same version. Throws InputError as
     * `readKernel` does, and where another token has the author's name or the version was removed;
     * LimitReached.
     */
    async add(
      file: Omit<KernelFile, 'author'>,
      by: Principal,
      note?: AuditNote,
    ): Promise<ContributedKernel> {
      const { kernel, manifest } = await readKernel({ ...file, author: authorOf(by) });
      const [author = '', name = ''] = kernel.id.split(/[/@]/);
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
        if (!known && (await leftOf(tx, by.tokenId)) <= 0) {
          throw new LimitReached(
            `This token has brought ${VERSIONS_PER_HOUR} versions in an hour, the most that it may.`,
            3_600,
          );
        }
        const { count } = await tx.contributedKernel.createMany({
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
        if (count === 1) await noted(tx, note, kernel.id);
        return tx.contributedKernel.findUniqueOrThrow({ where: { id: kernel.id } });
      });
      refuseIf(row.removedAt !== null, `${row.id} was removed: change it first`, 'source');
      return viewOf(row);
    },

    overTime: (tokenId: string, gpuSeconds: number) => overTime(db, tokenId, gpuSeconds),

    async get(id: string): Promise<ContributedKernel | null> {
      const row = await rowOf(id);
      return row && !row.removedAt ? viewOf(row) : null;
    },

    /** Published ones, and those of the token, newest first. */
    async list(tokenId: string | null): Promise<ContributedKernel[]> {
      const rows = await db.contributedKernel.findMany({
        where: visibleTo(tokenId),
        orderBy: { createdAt: 'desc' },
        take: PAGE_SIZE,
      });
      return rows.map(viewOf);
    },

    /** Versions of a kernel, newest first: those published, and those of the token. */
    async versions(
      { author, name }: Pick<ContributedKernel, 'author' | 'name'>,
      tokenId: string | null,
    ): Promise<ContributedKernel[]> {
      const rows = await db.contributedKernel.findMany({
        where: { author, name, ...visibleTo(tokenId) },
        orderBy: { createdAt: 'desc' },
        take: PAGE_SIZE,
      });
      return rows.map(viewOf);
    },

    /** Runs of a version and of others beside it, what ours do there, and what it waits for. */
    results: (ids: readonly [string, ...string[]]) => contributedResultsOf(db, ids),

    /**
     * Makes the contributed ones among these ids known to this process. Throws InputError at `field`
     * for one that the grid does not have, or not any more.
     */
    async admit(ids: readonly string[], field = 'kernel'): Promise<void> {
      for (const id of new Set(ids.filter(isContributed))) {
        const row = await rowOf(id);
        if (!row || row.removedAt) {
          const what = row ? `${id} was removed` : `There is no kernel ${id}`;
          throw new InputError(`${what}. POST it to /api/v1/kernels first.`, field);
        }
        await admitStored(db, id);
      }
    },

    /**
     * From now on it is listed, and its results are on the boards. Null: there is none. Throws
     * InputError where it is wrong.
     */
    async publish(id: string, note?: AuditNote): Promise<ContributedKernel | null> {
      const row = await rowOf(id);
      if (!row || row.removedAt) return null;
      refuseIf(
        await isWrong(id),
        `all results of ${id} are incorrect: correct it and submit it as a new version`,
        'id',
      );
      await db.$transaction(async (tx) => {
        const { count } = await tx.contributedKernel.updateMany({
          where: { id, publishedAt: null, removedAt: null },
          data: { publishedAt: new Date() },
        });
        if (count === 0) return;
        await noted(tx, note, id);
        await tx.$executeRaw`
          UPDATE "Sweep" SET "unlisted" = false
          WHERE "unlisted" AND NOT names_unlisted_kernel("spec")`;
        const results = await tx.result.findMany({
          where: { medianNs: { not: null }, run: { kernel: id } },
          select: { id: true },
          orderBy: { endedAt: 'asc' },
        });
        await moveBests(
          tx,
          results.map((result) => result.id),
        );
      });
      return viewOf({ ...row, publishedAt: row.publishedAt ?? new Date() });
    },

    /**
     * Takes a kernel and its results off the lists and boards, and drops its runs that wait. What
     * was measured stays with the sweeps. False: there is none.
     */
    remove(id: string, note?: AuditNote): Promise<boolean> {
      return db.$transaction(async (tx) => {
        const { count } = await tx.contributedKernel.updateMany({
          where: { id, removedAt: null },
          data: { removedAt: new Date() },
        });
        if (count === 0) return false;
        await forgetVariants(tx, id);
        // A search of it would go on, each of its runs refused.
        await tx.$executeRaw`
          UPDATE "Sweep" SET "cancelledAt" = now()
          WHERE "id" IN (SELECT "sweepId" FROM "Run" WHERE "kernel" = ${id})
            AND "tuning"->>'kernel' = ${id} AND "decision" IS NULL AND "cancelledAt" IS NULL`;
        await tx.run.deleteMany({ where: { kernel: id, state: 'pending' } });
        await noted(tx, note, id);
        return true;
      });
    },
  };
}

/** How many more versions the token may bring in this hour. */
async function leftOf(tx: Prisma.TransactionClient, tokenId: string): Promise<number> {
  const [row] = await tx.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM "ContributedKernel"
    WHERE "createdById" = ${tokenId} AND "createdAt" > now() - interval '1 hour'`;
  return VERSIONS_PER_HOUR - (row?.count ?? 0);
}

const visibleTo = (tokenId: string | null) => ({
  removedAt: null,
  OR: [{ publishedAt: { not: null } }, { createdById: tokenId ?? '' }],
});

const viewOf = ({ manifest: _, op, removedAt: __, source: ___, ...row }: KernelRow) => ({
  ...withIsoDates(row),
  op: op as ContributedKernel['op'],
});
