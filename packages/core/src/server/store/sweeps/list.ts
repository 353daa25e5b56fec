import type { Prisma, PrismaClient } from '@tilemark/db';
import type { Page, Sweep } from '../../../api/api';
import type { SweepFilter } from '../../../api/sweep';
import { PAGE_SIZE, pageOf } from '../database';
import type { Principal } from '../principal';
import { RETRIABLE } from './retry';
import { sweepViews } from './views';

/** The reader of a list; null: anybody. */
type Asker = Pick<Principal, 'tokenId' | 'role'> | null;

const listedFor = (asker: Asker): Prisma.SweepWhereInput =>
  asker?.role === 'admin'
    ? {}
    : { OR: [{ unlisted: false }, ...(asker ? [{ createdById: asker.tokenId }] : [])] };

/** Those that are listed for everybody, and for who asks. */
export async function listSweeps(
  db: PrismaClient,
  cursor?: string,
  filter: SweepFilter = {},
  asker: Asker = null,
): Promise<Page<Sweep>> {
  const rows = await db.sweep.findMany({
    where: {
      ...(cursor && { id: { lt: cursor } }),
      AND: [...wheresOf(filter), listedFor(asker)],
    },
    orderBy: { id: 'desc' },
    take: PAGE_SIZE + 1,
  });
  const { items, nextCursor } = pageOf(rows, (row) => row.id);
  return { items: await sweepViews(db, items), nextCursor };
}

/**
 * Ids of sweeps started here for a suite, for example `starter@1`, on a device: those of a token,
 * or all but the back-fills of untrusted workers.
 */
export async function sweepsOfSuite(
  db: PrismaClient,
  suite: string,
  deviceKey: string,
  tokenId?: string,
): Promise<string[]> {
  const rows = await db.sweep.findMany({
    where: {
      suite,
      deviceKeys: { has: deviceKey },
      ...(tokenId === undefined
        ? { NOT: { background: true, createdById: { not: null } } }
        : { createdById: tokenId }),
      // An imported file asked nothing of the grid: its device still gets the suite.
      imported: false,
    },
    orderBy: { id: 'desc' },
    select: { id: true },
  });
  return rows.map((row) => row.id);
}

/** Not ended yet. */
export const OPEN = { state: { in: ['pending', 'running'] } } satisfies Prisma.RunWhereInput;

function wheresOf({ find, state }: SweepFilter): Prisma.SweepWhereInput[] {
  const text = find && ({ contains: find, mode: 'insensitive' } as const);
  return [
    ...(text ? [{ OR: [{ name: text }, { suite: text }] }] : []),
    ...(state === 'open' ? [{ cancelledAt: null, runs: { some: OPEN } }] : []),
    ...(state === 'done' ? [{ cancelledAt: null, runs: { none: OPEN } }] : []),
    ...(state === 'cancelled' ? [{ cancelledAt: { not: null } }] : []),
    ...(state === 'imported' ? [{ imported: true }] : []),
    // Those that `retryFailed` would put runs of back.
    ...(state === 'failed'
      ? [{ cancelledAt: null, runs: { some: RETRIABLE }, imported: false }]
      : []),
  ];
}
