import { randomBytes } from 'node:crypto';
import type { PrismaClient } from '@tilemark/db';
import type { Problem } from '@tilemark/kernels';
import { INVITE_PREFIX } from '../../../api/token';
import { sha256, toJson } from '../database';
import type { Principal } from '../principal';

/** The secret, `tm_invite_<random>`, is returned once and kept only as a hash. */
export async function createInvite(
  db: PrismaClient,
  {
    by,
    problems = [],
    trusted = false,
    ...fields
  }: {
    name: string;
    /** What kernels are handed in for. */
    problems?: readonly Problem[];
    seats: number;
    expiresAt: Date;
    /** Its tokens will be, for as long as who makes it is. */
    trusted?: boolean | undefined;
    by: Principal;
  },
): Promise<{ id: string; secret: string }> {
  const secret = `${INVITE_PREFIX}${randomBytes(32).toString('base64url')}`;
  const made = { createdBy: by.name, createdById: by.tokenId, hash: sha256(secret) };
  const { id } = await db.invite.create({
    data: { ...fields, problems: problems.map(toJson), trusted, ...made },
    select: { id: true },
  });
  return { id, secret };
}
