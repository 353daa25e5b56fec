import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SESSION_SECONDS } from '@tilemark/core/server';
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { CookieOptions } from 'hono/utils/cookie';
import { sealData, unsealData } from 'iron-session';
import { z } from 'zod';
import { SESSION_COOKIE } from '@/ui/site';
import type { Services, Settings } from '../services';
import { isSecure } from './origin';

/** The sealed content of the cookie: its session. Revoking its token ends it. */
const sealedSchema = z.object({ sessionId: z.string() });

type Opened = Pick<Services, 'store' | 'settings'>;

/** Opens a session, and ends the one before. The cookie is `Secure` where the site is served over https. */
export async function openSession(
  c: Context,
  tokenId: string,
  { settings, store }: Opened,
): Promise<void> {
  const before = await sessionIdOf(getCookie(c, SESSION_COOKIE), settings);
  if (before) await store.tokens.endSession(before);
  const sealed = await sealSession(await store.tokens.openSession(tokenId), settings);
  setCookie(c, SESSION_COOKIE, sealed, cookieOptions(c, SESSION_SECONDS));
}

/** Ends the session, so that no copy of its cookie opens anything, and takes the cookie back. */
export async function endSession(c: Context, { settings, store }: Opened): Promise<void> {
  const id = await sessionIdOf(getCookie(c, SESSION_COOKIE), settings);
  if (id) await store.tokens.endSession(id);
  setCookie(c, SESSION_COOKIE, '', cookieOptions(c, 0));
}

/** The value of a session's cookie. */
export const sealSession = (
  sessionId: string,
  { sessionSecret }: Pick<Settings, 'sessionSecret'>,
): Promise<string> => sealData({ sessionId }, { password: sessionSecret, ttl: SESSION_SECONDS });

const cookieOptions = (c: Context, maxAge: number): CookieOptions => ({
  path: '/',
  maxAge,
  httpOnly: true,
  sameSite: 'Lax',
  secure: isSecure(c.req.raw),
});

/** The session of a sealed cookie; null when it was tampered with, has expired, or is not there. */
export async function sessionIdOf(
  sealed: string | undefined,
  { sessionSecret }: Pick<Settings, 'sessionSecret'>,
): Promise<string | null> {
  if (!sealed) return null;
  // iron-session gives an empty object for seals that are expired or not its own.
  const session = sealedSchema.safeParse(await unsealData(sealed, { password: sessionSecret }));
  return session.success ? session.data.sessionId : null;
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
