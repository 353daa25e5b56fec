import type { PrismaClient } from '@tilemark/db';
import type { Invite } from '../../../api/token';
import { withIsoDates } from '../database';

/** An invite stays listed this long after its end. */
const LISTED_MS = 7 * 86_400_000;

/** Newest first, those that still let somebody in or did so; of one maker, or of all. */
export async function listInvites(db: PrismaClient, createdById?: string): Promise<Invite[]> {
  const rows = await db.invite.findMany({
    where: {
      ...by(createdById),
      revokedAt: null,
      expiresAt: { gt: new Date(Date.now() - LISTED_MS) },
    },
    orderBy: { id: 'desc' },
    omit: { hash: true, createdById: true, revokedAt: true },
  });
  return rows.map(withIsoDates);
}

/** An invite by its id; of one maker, or of anybody. */
export const findInvite = (db: PrismaClient, id: string, createdById: string | undefined) =>
  db.invite.findFirst({
    where: { id, ...by(createdById) },
    select: { id: true, name: true, createdAt: true },
  });

/** Ends an invite and the tokens it made; of one maker, or of anybody. False: there is none. */
export const revokeInvite = (
  db: PrismaClient,
  id: string,
  createdById: string | undefined,
): Promise<boolean> =>
  db.$transaction(async (tx) => {
    const data = { revokedAt: new Date() };
    const { count } = await tx.invite.updateMany({
      where: { id, revokedAt: null, ...by(createdById) },
      data,
    });
    if (count === 0) return false;
    await tx.token.updateMany({ where: { inviteId: id, revokedAt: null }, data });
    return true;
  });

/** Whether an invite made the token. */
export const isJoined = async (db: PrismaClient, tokenId: string | null): Promise<boolean> =>
  tokenId !== null &&
  (await db.token.count({ where: { id: tokenId, inviteId: { not: null } } })) > 0;

const by = (createdById: string | undefined) => (createdById === undefined ? {} : { createdById });
