import { timingSafeEqual } from 'node:crypto';
import type { Prisma, PrismaClient } from '@tilemark/db';
import { roleOfSecret } from '../../../api/api';
import { sha256 } from '../database';
import type { Principal } from '../principal';

/** Resolution of `lastUsedAt`, so that not every request writes. */
const LAST_USED_STEP_MS = 60_000;

/** The principal of a secret. Null for unknown, expired and revoked ones alike. */
export async function verifySecret(db: PrismaClient, secret: string): Promise<Principal | null> {
  if (roleOfSecret(secret) === null) return null;
  const hash = sha256(secret);
  const row = await db.token.findUnique({ where: { hash } });
  if (!row || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(hash))) return null;
  return admit(db, row);
}

/** The principal of a session. Null where it has ended, or the token behind it. */
export async function principalOfSession(db: PrismaClient, id: string): Promise<Principal | null> {
  const row = await db.session.findUnique({ where: { id }, include: { token: true } });
  return row && row.expiresAt.getTime() > Date.now() ? admit(db, row.token) : null;
}

/** Uses up a login code. Null if it was used, has expired, or its token has ended. */
export async function redeemLoginCode(db: PrismaClient, code: string): Promise<Principal | null> {
  // One statement: if two follow a link at once, only one deletes it.
  const [link] = await db.$queryRaw<{ tokenId: string }[]>`
    DELETE FROM "LoginLink" WHERE "hash" = ${sha256(code)} AND "expiresAt" > now()
    RETURNING "tokenId"`;
  return link ? admit(db, await db.token.findUnique({ where: { id: link.tokenId } })) : null;
}

/** The principal of a token that was used. Null for one that was revoked or has expired. */
async function admit(
  db: PrismaClient,
  row: Prisma.TokenGetPayload<object> | null,
): Promise<Principal | null> {
  const now = Date.now();
  if (!row || row.revokedAt || (row.expiresAt && row.expiresAt.getTime() <= now)) return null;
  const { id, lastUsedAt, name, role } = row;
  if (!lastUsedAt || now - lastUsedAt.getTime() >= LAST_USED_STEP_MS) {
    await db.token.update({ where: { id }, data: { lastUsedAt: new Date(now) } });
  }
  return { tokenId: id, name, role };
}
