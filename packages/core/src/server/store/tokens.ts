import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Prisma, PrismaClient } from '@tilemark/db';
import type { Principal, Store } from '../store';
import { sha256 } from './hash';

const SECRET = /^tm_(member|admin|worker)_[A-Za-z0-9_-]{43}$/;
/** How exactly `lastUsedAt` is kept: not every request writes. */
const LAST_USED_STEP_MS = 60_000;

type TokenRow = Prisma.TokenGetPayload<object>;

export function tokensOf(db: PrismaClient): Store['tokens'] {
  return {
    async create({ name, role, expiresAt }) {
      const secret = `tm_${role}_${randomBytes(32).toString('base64url')}`;
      const { id } = await db.token.create({
        data: { name, role, expiresAt, hash: sha256(secret) },
        select: { id: true },
      });
      return { id, secret };
    },

    async verify(secret) {
      if (!SECRET.test(secret)) return null;
      const hash = sha256(secret);
      const row = await db.token.findUnique({ where: { hash } });
      if (!row || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(hash))) return null;
      const principal = principalOf(row);
      const now = Date.now();
      if (principal && !(row.lastUsedAt && now - row.lastUsedAt.getTime() < LAST_USED_STEP_MS)) {
        await db.token.update({ where: { id: row.id }, data: { lastUsedAt: new Date(now) } });
      }
      return principal;
    },

    async get(id) {
      const row = await db.token.findUnique({ where: { id } });
      return row && principalOf(row);
    },

    async revoke(id) {
      const { count } = await db.token.updateMany({
        where: { id, revokedAt: null },
        data: { revokedAt: new Date() },
      });
      return count === 1;
    },
  };
}

/** Null for a token that was revoked or has expired. */
function principalOf({ id, name, role, revokedAt, expiresAt }: TokenRow): Principal | null {
  if (revokedAt || (expiresAt && expiresAt.getTime() <= Date.now())) return null;
  return { tokenId: id, name, role };
}
