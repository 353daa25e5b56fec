import type { PrismaClient } from '@tilemark/db';
import { InputError } from '@tilemark/kernels';
import { moveBests } from '../boards/move';
import { moveRoofsOf } from '../roofs/move';

/**
 * Trusts a token or no longer does, and moves the headlines and roofs that its results touch. With its
 * trust goes that of the tokens which its invites made. False: there is no such token. Throws InputError
 * for an admin's, which is always trusted.
 */
export const trustToken = (db: PrismaClient, id: string, trusted: boolean): Promise<boolean> =>
  db.$transaction(
    async (tx) => {
      const token = await tx.token.findUnique({ where: { id }, select: { role: true } });
      if (!token) return false;
      if (token.role === 'admin' && !trusted) {
        throw new InputError("An admin's token is always trusted: revoke it instead.", 'trusted');
      }
      const changed = await tx.$queryRaw<{ id: string }[]>`
        UPDATE "Token" SET "trusted" = ${trusted}
        WHERE "trusted" <> ${trusted} AND ("id" = ${id} OR NOT ${trusted}::boolean AND "inviteId" IN (
          SELECT "id" FROM "Invite" WHERE "createdById" = ${id} AND "trusted"))
        RETURNING "id"`;
      const ids = changed.map((row) => row.id);
      const touched = await tx.$queryRaw<{ id: string }[]>`
        UPDATE "Result" SET "trusted" = ${trusted}
        WHERE "tokenId" = ANY (${ids}) AND "trusted" <> ${trusted} AND "confirmedBy" IS NULL
        RETURNING "id"`;
      await moveBests(
        tx,
        touched.map((row) => row.id),
      );
      await moveRoofsOf(tx, { tokenId: { in: ids } });
      return true;
    },
    { timeout: 600_000, maxWait: 60_000 },
  );
