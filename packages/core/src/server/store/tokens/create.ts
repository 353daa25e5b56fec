import { randomBytes } from 'node:crypto';
import type { PrismaClient } from '@tilemark/db';
import { InputError } from '@tilemark/kernels';
import { roleOfSecret } from '../../../api/api';
import { sha256 } from '../database';
import type { Role } from '../principal';

export const newSecret = (role: Role): string =>
  `tm_${role}_${randomBytes(32).toString('base64url')}`;

interface NewToken {
  readonly name: string;
  readonly role: Role;
  readonly expiresAt: Date | null;
  /** Its results decide; an admin's always do. */
  readonly trusted?: boolean | undefined;
  /** Chosen by the deployment; absent: a random one. */
  readonly secret?: string;
}

/**
 * The secret, `tm_<role>_<random>`, is returned once and kept only as a hash. A given secret
 * that is already known is the token it was made for, unchanged: still revoked or expired if it
 * was. Throws InputError at `secret` for one of another form or role.
 */
export async function createToken(
  db: PrismaClient,
  { name, role, expiresAt, trusted = false, secret = newSecret(role) }: NewToken,
): Promise<{ id: string; secret: string }> {
  if (roleOfSecret(secret) !== role) {
    throw new InputError(
      `The secret must be tm_${role}_ followed by at least 32 random characters of A-Z, a-z, 0-9, _ and -.`,
      'secret',
    );
  }
  const hash = sha256(secret);
  // Not an upsert, which reads first: of several starts with one secret, all but one would fail.
  await db.token.createMany({
    data: { name, role, expiresAt, hash, trusted: trusted || role === 'admin' },
    skipDuplicates: true,
  });
  const { id } = await db.token.findUniqueOrThrow({ where: { hash }, select: { id: true } });
  return { id, secret };
}
