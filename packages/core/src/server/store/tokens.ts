import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Prisma, PrismaClient } from '@tilemark/db';
import { InputError } from '@tilemark/kernels';
import { type Page, roleOfSecret, type Token } from '../../view/api';
import { type AuditNote, noted, type Principal, type Role } from './audit';
import { PAGE_SIZE, pageOf, sha256, withIsoDates } from './database';

const LOGIN_LINK_MS = 86_400_000;

export const SESSION_SECONDS = 30 * 24 * 3600;

/** Resolution of `lastUsedAt`, so that not every request writes. */
const LAST_USED_STEP_MS = 60_000;

export const newSecret = (role: Role): string =>
  `tm_${role}_${randomBytes(32).toString('base64url')}`;

type TokenRow = Prisma.TokenGetPayload<object>;

interface NewToken {
  readonly name: string;
  readonly role: Role;
  readonly expiresAt: Date | null;
  /** Chosen by the deployment; absent: a random one. */
  readonly secret?: string;
  readonly note?: AuditNote | undefined;
}

export function tokensOf(db: PrismaClient) {
  /** Whom a row admits, which is a use of it, by whatever means: secret, session, or login link. */
  async function used(row: TokenRow | null): Promise<Principal | null> {
    const principal = row && principalOf(row);
    const now = Date.now();
    if (principal && !(row.lastUsedAt && now - row.lastUsedAt.getTime() < LAST_USED_STEP_MS)) {
      await db.token.update({ where: { id: row.id }, data: { lastUsedAt: new Date(now) } });
    }
    return principal;
  }

  return {
    /**
     * The secret, `tm_<role>_<random>`, is returned once and kept only as a hash. A given secret
     * that is already known is the token it was made for, unchanged: still revoked or expired if it
     * was. Throws InputError at `secret` for one of another form or role.
     */
    async create({ name, role, expiresAt, secret = newSecret(role), note }: NewToken) {
      if (roleOfSecret(secret) !== role) {
        throw new InputError(
          `The secret must be tm_${role}_ followed by at least 32 random characters of A-Z, a-z, 0-9, _ and -.`,
          'secret',
        );
      }
      const hash = sha256(secret);
      return db.$transaction(async (tx) => {
        // Not an upsert, which reads first: of several starts with one secret, all but one would fail.
        await tx.token.createMany({
          data: { name, role, expiresAt, hash },
          skipDuplicates: true,
        });
        const { id } = await tx.token.findUniqueOrThrow({ where: { hash }, select: { id: true } });
        await noted(tx, note, id);
        return { id, secret };
      });
    },

    /** Null for unknown, expired and revoked secrets alike. */
    async verify(secret: string): Promise<Principal | null> {
      if (roleOfSecret(secret) === null) return null;
      const hash = sha256(secret);
      const row = await db.token.findUnique({ where: { hash } });
      if (!row || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(hash))) return null;
      return used(row);
    },

    /** The id of a new session of a token. */
    async openSession(tokenId: string): Promise<string> {
      const now = Date.now();
      await db.session.deleteMany({ where: { expiresAt: { lte: new Date(now) } } });
      const expiresAt = new Date(now + 1_000 * SESSION_SECONDS);
      return (await db.session.create({ data: { tokenId, expiresAt }, select: { id: true } })).id;
    },

    /** Null where the session has ended, or the token behind it. */
    async ofSession(id: string): Promise<Principal | null> {
      const row = await db.session.findUnique({ where: { id }, include: { token: true } });
      return row && row.expiresAt.getTime() > Date.now() ? used(row.token) : null;
    },

    async endSession(id: string): Promise<void> {
      await db.session.deleteMany({ where: { id } });
    },

    /** A code that logs its bearer in as the token, once, within a day. Kept only as a hash. */
    async loginCode(id: string): Promise<string> {
      const code = randomBytes(32).toString('base64url');
      const now = Date.now();
      await db.loginLink.deleteMany({ where: { expiresAt: { lte: new Date(now) } } });
      await db.loginLink.create({
        data: { hash: sha256(code), tokenId: id, expiresAt: new Date(now + LOGIN_LINK_MS) },
      });
      return code;
    },

    /** Uses up a login code. Null if it was used, has expired, or its token has ended. */
    async redeem(code: string): Promise<Principal | null> {
      // One statement: if two follow a link at once, only one deletes it.
      const [link] = await db.$queryRaw<{ tokenId: string }[]>`
        DELETE FROM "LoginLink" WHERE "hash" = ${sha256(code)} AND "expiresAt" > now()
        RETURNING "tokenId"`;
      if (!link) return null;
      return used(await db.token.findUnique({ where: { id: link.tokenId } }));
    },

    revoke: (id: string, note?: AuditNote): Promise<boolean> =>
      db.$transaction(async (tx) => {
        const { count } = await tx.token.updateMany({
          where: { id, revokedAt: null },
          data: { revokedAt: new Date() },
        });
        if (count === 1) await noted(tx, note, id);
        return count === 1;
      }),

    /** The only admin token that works: without it nobody could make another. Null: there are more. */
    async lastAdmin(): Promise<string | null> {
      const works = {
        revokedAt: null,
        OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }],
      };
      const [last, other] = await db.token.findMany({
        where: { role: 'admin', ...works },
        select: { id: true },
        take: 2,
      });
      return last && !other ? last.id : null;
    },

    /** Newest first, including revoked and expired ones. */
    async list(cursor?: string): Promise<Page<Token>> {
      const rows = await db.token.findMany({
        where: cursor === undefined ? {} : { id: { lt: cursor } },
        orderBy: { id: 'desc' },
        take: PAGE_SIZE + 1,
        omit: { hash: true, inviteId: true },
      });
      const { items, nextCursor } = pageOf(rows, (row) => row.id);
      return { items: items.map(withIsoDates), nextCursor };
    },
  };
}

/** Null for a token that was revoked or has expired. */
function principalOf({ id, name, role, revokedAt, expiresAt }: TokenRow): Principal | null {
  if (revokedAt || (expiresAt && expiresAt.getTime() <= Date.now())) return null;
  return { tokenId: id, name, role };
}
