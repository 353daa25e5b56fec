import { randomBytes } from 'node:crypto';
import type { PrismaClient } from '@tilemark/db';
import { isKnownProblem } from '@tilemark/kernels';
import { NotAdmitted } from '../../link/link';
import type { Page, RunResult } from '../../view/api';
import { INVITE_PREFIX, type Invite } from '../../view/token';
import { type AuditNote, noted, type Principal } from './audit';
import { PAGE_SIZE, pageOf, sha256, withIsoDates } from './database';
import { RUN_WITHOUT_SAMPLES, resultWithoutSamples } from './run-view';
import { newSecret } from './tokens';

/** An invite stays listed this long after its end. */
const LISTED_MS = 7 * 86_400_000;

/** Links that make worker tokens, a seat each. */
export function invitesOf(db: PrismaClient) {
  return {
    /** The secret, `tm_invite_<random>`, is returned once and kept only as a hash. */
    async create({
      name,
      seats,
      expiresAt,
      by,
      note,
    }: {
      name: string;
      seats: number;
      expiresAt: Date;
      by: Principal;
      note?: AuditNote | undefined;
    }): Promise<{ id: string; secret: string }> {
      const secret = `${INVITE_PREFIX}${randomBytes(32).toString('base64url')}`;
      const { tokenId: createdById, name: createdBy } = by;
      return db.$transaction(async (tx) => {
        const { id } = await tx.invite.create({
          data: { name, seats, expiresAt, createdBy, createdById, hash: sha256(secret) },
          select: { id: true },
        });
        await noted(tx, note, id);
        return { id, secret };
      });
    },

    /**
     * Takes a seat: makes a worker token that ends with the invite. Throws NotAdmitted, with the
     * reason, for an invite that makes none.
     */
    async redeem(secret: string) {
      const hash = sha256(secret);
      return db.$transaction(async (tx) => {
        // One statement: of two who take the last seat at once, one gets it.
        const [invite] = await tx.$queryRaw<{ id: string; name: string; expiresAt: Date }[]>`
          UPDATE "Invite" SET "used" = "used" + 1
          WHERE "hash" = ${hash} AND "used" < "seats" AND "expiresAt" > now()
            AND "revokedAt" IS NULL
          RETURNING "id", "name", "expiresAt"`;
        if (!invite) throw new NotAdmitted(whyNot(await tx.invite.findUnique({ where: { hash } })));
        const { id: inviteId, name, expiresAt } = invite;
        const token = newSecret('worker');
        const role = 'worker';
        const { id: tokenId } = await tx.token.create({
          data: { name, role, expiresAt, hash: sha256(token), inviteId },
          select: { id: true },
        });
        await noted(tx, { action: 'redeemInvite', by: { tokenId, name, role } }, inviteId);
        return { secret: token, name, expiresAt: expiresAt.toISOString() };
      });
    },

    /** Newest first, those that still let somebody in or did so; of one maker, or of all. */
    async list(createdById?: string): Promise<Invite[]> {
      const rows = await db.invite.findMany({
        where: {
          ...(createdById !== undefined && { createdById }),
          revokedAt: null,
          expiresAt: { gt: new Date(Date.now() - LISTED_MS) },
        },
        orderBy: { id: 'desc' },
        omit: { hash: true, createdById: true, revokedAt: true },
      });
      return rows.map(withIsoDates);
    },

    /** An invite by its id; of one maker, or of anybody. */
    find: (id: string, createdById: string | undefined) =>
      db.invite.findFirst({
        where: { id, ...(createdById !== undefined && { createdById }) },
        select: { id: true, name: true, createdAt: true },
      }),

    /** Whom a token of an invite speaks for; null for any other token. */
    async partyOf(tokenId: string): Promise<string | null> {
      const [row] = await db.$queryRaw<{ party: string }[]>`
        SELECT party_of_token("id") AS "party" FROM "Token"
        WHERE "id" = ${tokenId} AND "inviteId" IS NOT NULL`;
      return row?.party ?? null;
    },

    /** What those who joined with it have measured, the first first, without samples. */
    async results(id: string, cursor?: string): Promise<Page<RunResult>> {
      const page = await db.$queryRaw<{ id: string; runId: string }[]>`
        SELECT result."id", result."runId" FROM "Token" AS token
        JOIN "Worker" AS worker ON worker."tokenId" = token."id"
        JOIN "Result" AS result ON result."workerId" = worker."id"
        WHERE token."inviteId" = ${id} AND result."id" > ${cursor ?? ''}
        ORDER BY result."id" LIMIT ${PAGE_SIZE + 1}`;
      const { items, nextCursor } = pageOf(page, (row) => row.id);
      const rows = await db.run.findMany({
        where: { id: { in: items.map(({ runId }) => runId) } },
        include: RUN_WITHOUT_SAMPLES,
      });
      const byId = new Map(rows.map((row) => [row.id, row]));
      const ordered = items.flatMap(({ runId }) => byId.get(runId) ?? []);
      return { items: ordered.filter(isKnownProblem).map(resultWithoutSamples), nextCursor };
    },

    /** Ends an invite and the tokens it made; of one maker, or of anybody. False: there is none. */
    revoke: (id: string, createdById: string | undefined, note?: AuditNote): Promise<boolean> =>
      db.$transaction(async (tx) => {
        const revokedAt = new Date();
        const { count } = await tx.invite.updateMany({
          where: { id, revokedAt: null, ...(createdById !== undefined && { createdById }) },
          data: { revokedAt },
        });
        if (count === 0) return false;
        await tx.token.updateMany({
          where: { inviteId: id, revokedAt: null },
          data: { revokedAt },
        });
        await noted(tx, note, id);
        return true;
      }),
  };
}

function whyNot(invite: { revokedAt: Date | null; expiresAt: Date; seats: number } | null): string {
  const ask = 'Ask whoever gave it to you for another.';
  if (!invite) return `This invite is not one of this grid. ${ask}`;
  if (invite.revokedAt) return `This invite was revoked. ${ask}`;
  if (invite.expiresAt.getTime() <= Date.now()) return `This invite has expired. ${ask}`;
  return `This invite is used up: it was for ${invite.seats}. ${ask}`;
}
