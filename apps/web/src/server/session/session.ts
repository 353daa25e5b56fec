import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from 'hono';
import { setCookie } from 'hono/cookie';
import type { CookieOptions } from 'hono/utils/cookie';
import { sealData, unsealData } from 'iron-session';
import { z } from 'zod';
import { SESSION_COOKIE } from '@/ui/site';
import { isSecure } from './origin';

const SESSION_SECONDS = 30 * 24 * 3600;

/** What the cookie contains, sealed: which token opened the session. Revoking the token ends it. */
const sessionSchema = z.object({ tokenId: z.string() });

/** Opens a session. The cookie is `Secure` where the site is served over https. */
export async function openSession(c: Context, tokenId: string, secret: string): Promise<void> {
  const sealed = await sealSession(tokenId, secret);
  setCookie(c, SESSION_COOKIE, sealed, cookieOptions(c, SESSION_SECONDS));
}

export const endSession = (c: Context): void =>
  setCookie(c, SESSION_COOKIE, '', cookieOptions(c, 0));

/** The value of a session's cookie. */
export const sealSession = (tokenId: string, secret: string): Promise<string> =>
  sealData({ tokenId }, { password: secret, ttl: SESSION_SECONDS });

const cookieOptions = (c: Context, maxAge: number): CookieOptions => ({
  path: '/',
  maxAge,
  httpOnly: true,
  sameSite: 'Lax',
  secure: isSecure(c.req.raw),
});

/** The token behind a sealed cookie; null when it was tampered with or has expired. */
export async function tokenIdOf(sealed: string, secret: string): Promise<string | null> {
  // iron-session gives an empty object for seals that are expired or not its own.
  const session = sessionSchema.safeParse(await unsealData(sealed, { password: secret }));
  return session.success ? session.data.tokenId : null;
}

/**
 * The secret that seals sessions, from `session-secret` in the data folder
 * (mode 0600), made on the first start. Replicas share the folder, or are given
 * one secret by TILEMARK_SESSION_SECRET.
 */
export async function keptSessionSecret(dataDir: string): Promise<string> {
  const file = join(dataDir, 'session-secret');
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept) return kept.trim();

  await mkdir(dataDir, { recursive: true });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
  try {
    // Whole or not at all: of several that start at once, one is first and all read its secret.
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft);
  }
  return (await readFile(file, 'utf8')).trim();
}
