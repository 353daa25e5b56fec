import type { PrismaClient } from '@tilemark/db';
import type { Page, Token } from '../../../api/api';
import { PAGE_SIZE, pageOf, withIsoDates } from '../database';

/** Newest first, including revoked and expired ones. */
export async function listTokens(db: PrismaClient, cursor?: string): Promise<Page<Token>> {
  const rows = await db.token.findMany({
    where: cursor === undefined ? {} : { id: { lt: cursor } },
    orderBy: { id: 'desc' },
    take: PAGE_SIZE + 1,
    omit: { hash: true, inviteId: true },
  });
  const { items, nextCursor } = pageOf(rows, (row) => row.id);
  return { items: items.map(withIsoDates), nextCursor };
}

/** The only admin token that works: without it nobody could make another. Null: there are more. */
export async function lastAdmin(db: PrismaClient): Promise<string | null> {
  const [last, other] = await db.token.findMany({
    where: {
      role: 'admin',
      revokedAt: null,
      OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }],
    },
    select: { id: true },
    take: 2,
  });
  return last && !other ? last.id : null;
}

export async function revokeToken(db: PrismaClient, id: string): Promise<boolean> {
  const { count } = await db.token.updateMany({
    where: { id, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  return count === 1;
}
