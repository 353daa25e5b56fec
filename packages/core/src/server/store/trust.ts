import { Prisma } from '@tilemark/db';

/**
 * Trust is one bit of a token, which admins set; the grid's own account and admins' tokens have it.
 * Results of trusted tokens decide: headlines and all that reads them, and the roofs. Those of others
 * are kept and shown as whose they are, and decide nothing until the token is trusted or an admin
 * confirms the result. Whether a result decides is a column of it.
 */

/** Whether a worker `w` runs on the grid's own account, or its token is trusted. */
export const isTrusted = (worker: string): Prisma.Sql => {
  const tokenId = Prisma.raw(`${worker}."tokenId"`);
  return Prisma.sql`(${tokenId} IS NULL OR EXISTS (
    SELECT FROM "Token" AS trusted WHERE trusted."id" = ${tokenId} AND trusted."trusted"))`;
};

/** Whether a worker `w` may take and answer runs of a sweep `s`: an untrusted one its own token's. */
export const mayAnswer = (worker: string, sweep: string): Prisma.Sql =>
  Prisma.sql`(${isTrusted(worker)} OR coalesce(${Prisma.raw(`${sweep}."createdById" = ${worker}."tokenId"`)}, false))`;

/**
 * Whether a token is trusted, which stays so until the transaction ends; null, no token: the grid's own
 * account.
 */
export async function isTrustedToken(
  tx: Pick<Prisma.TransactionClient, '$queryRaw'>,
  tokenId: string | null,
): Promise<boolean> {
  if (tokenId === null) return true;
  const [token] = await tx.$queryRaw<{ trusted: boolean }[]>`
    SELECT "trusted" FROM "Token" WHERE "id" = ${tokenId} FOR SHARE`;
  return token?.trusted ?? false;
}
