import type { Prisma, PrismaClient } from '@tilemark/db';
import type { Problem } from '@tilemark/kernels';
import type { Invite } from '../../../api/token';
import { fromJson, withIsoDates } from '../database';

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
    omit,
  });
  return rows.map(inviteView);
}

const omit = { hash: true, createdById: true, revokedAt: true } as const;

const inviteView = (row: Prisma.InviteGetPayload<{ omit: typeof omit }>): Invite => ({
  ...withIsoDates(row),
  problems: fromJson<Problem[]>(row.problems),
});

/** An invite by its id; of one maker, or of anybody. */
export async function findInvite(
  db: PrismaClient,
  id: string,
  createdById: string | undefined,
): Promise<Invite | null> {
  const row = await db.invite.findFirst({ where: { id, ...by(createdById) }, omit });
  return row && inviteView(row);
}

/** The invite that made a token; null: none did. */
export async function inviteOf(db: PrismaClient, tokenId: string | null): Promise<Invite | null> {
  const token =
    tokenId === null
      ? null
      : await db.token.findUnique({ where: { id: tokenId }, select: { invite: { omit } } });
  return token?.invite ? inviteView(token.invite) : null;
}

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

/** Ends the tokens of a name that an invite made, and frees their seats. False: there are none. */
export const removeStudent = (
  db: PrismaClient,
  id: string,
  name: string,
  createdById: string | undefined,
): Promise<boolean> =>
  db.$transaction(async (tx) => {
    const { count } = await tx.token.updateMany({
      where: { inviteId: id, name, revokedAt: null, invite: by(createdById) },
      data: { revokedAt: new Date() },
    });
    if (count === 0) return false;
    await tx.invite.update({ where: { id }, data: { used: { decrement: count } } });
    return true;
  });

const by = (createdById: string | undefined) => (createdById === undefined ? {} : { createdById });
