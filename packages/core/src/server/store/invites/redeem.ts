import type { Prisma, PrismaClient } from '@tilemark/db';
import { type Problem, refuseIf } from '@tilemark/kernels';
import { NotAdmitted } from '../../../link/link';
import { fromJson, sha256 } from '../database';
import { newSecret } from '../tokens/create';

/**
 * Takes a seat: makes a worker token that ends with the invite. Throws NotAdmitted, with the
 * reason, for an invite that makes none; InputError at `name` where somebody else has it.
 *
 * @param student who joins, after whom the token is named; absent: after the invite
 */
export const redeemInvite = (
  db: PrismaClient,
  secret: string,
  student?: string,
): Promise<{ secret: string; name: string; problems: Problem[]; expiresAt: string }> =>
  db.$transaction(async (tx) => {
    const hash = sha256(secret);
    // One statement: of two who take the last seat at once, one gets it.
    const [invite] = await tx.$queryRaw<Prisma.InviteGetPayload<object>[]>`
      UPDATE "Invite" SET "used" = "used" + 1
      WHERE "hash" = ${hash} AND "used" < "seats" AND "expiresAt" > now() AND "revokedAt" IS NULL
      RETURNING *`;
    if (!invite) throw new NotAdmitted(whyNot(await tx.invite.findUnique({ where: { hash } })));
    const { id: inviteId, name, expiresAt } = invite;
    if (student !== undefined) {
      const others = await tx.$queryRaw<unknown[]>`
        SELECT FROM "Token" WHERE "inviteId" = ${inviteId} AND "revokedAt" IS NULL
          AND lower("name") = lower(${student})`;
      refuseIf(
        others.length > 0,
        `Somebody called ${student} has joined ${name} already: add a letter, or have your teacher remove that one.`,
        'name',
      );
    }
    const trusted = invite.trusted && (await mayTrust(tx, invite.createdById));
    const token = newSecret('worker');
    await tx.token.create({
      data: {
        name: student ?? name,
        role: 'worker',
        expiresAt,
        hash: sha256(token),
        inviteId,
        trusted,
      },
    });
    const problems = fromJson<Problem[]>(invite.problems);
    return { secret: token, name, problems, expiresAt: expiresAt.toISOString() };
  });

/** Whether the maker of an invite still has the trust that it passes on, until the transaction ends. */
async function mayTrust(tx: Prisma.TransactionClient, createdById: string): Promise<boolean> {
  const makers = await tx.$queryRaw<unknown[]>`
    SELECT FROM "Token" WHERE "id" = ${createdById} AND "trusted" AND "revokedAt" IS NULL FOR SHARE`;
  return makers.length > 0;
}

function whyNot(invite: { revokedAt: Date | null; expiresAt: Date; seats: number } | null): string {
  const ask = 'Ask whoever gave it to you for another.';
  if (!invite) return `This invite is not one of this grid. ${ask}`;
  if (invite.revokedAt) return `This invite was revoked. ${ask}`;
  if (invite.expiresAt.getTime() <= Date.now()) return `This invite has expired. ${ask}`;
  return `This invite is used up: it was for ${invite.seats}. ${ask}`;
}
