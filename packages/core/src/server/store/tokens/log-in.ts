import { randomBytes } from 'node:crypto';
import type { PrismaClient } from '@tilemark/db';
import { sha256 } from '../database';

const LOGIN_LINK_MS = 86_400_000;

export const SESSION_SECONDS = 30 * 24 * 3600;

/** The id of a new session of a token. */
export async function openSession(db: PrismaClient, tokenId: string): Promise<string> {
  const now = Date.now();
  await db.session.deleteMany({ where: { expiresAt: { lte: new Date(now) } } });
  const expiresAt = new Date(now + 1_000 * SESSION_SECONDS);
  return (await db.session.create({ data: { tokenId, expiresAt }, select: { id: true } })).id;
}

export async function endSession(db: PrismaClient, id: string): Promise<void> {
  await db.session.deleteMany({ where: { id } });
}

/** A code that logs its bearer in as the token, once, within a day. Kept only as a hash. */
export async function loginCode(db: PrismaClient, tokenId: string): Promise<string> {
  const code = randomBytes(32).toString('base64url');
  const now = Date.now();
  await db.loginLink.deleteMany({ where: { expiresAt: { lte: new Date(now) } } });
  const expiresAt = new Date(now + LOGIN_LINK_MS);
  await db.loginLink.create({ data: { hash: sha256(code), tokenId, expiresAt } });
  return code;
}
