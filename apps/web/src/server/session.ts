import { sealData, unsealData } from 'iron-session';
import { z } from 'zod';

export const SESSION_COOKIE = 'tilemark-session';
const SESSION_SECONDS = 30 * 24 * 3600;

/** What the cookie holds, sealed: which token opened the session. Revoking the token ends it. */
const sessionSchema = z.object({ tokenId: z.string() });

/** A Set-Cookie value that opens a session. `secure` where the site is served over https. */
export async function sessionCookie(
  tokenId: string,
  secret: string,
  secure: boolean,
): Promise<string> {
  const sealed = await sealData({ tokenId }, { password: secret, ttl: SESSION_SECONDS });
  return cookie(sealed, SESSION_SECONDS, secure);
}

/** A Set-Cookie value that ends the session. */
export const endedSessionCookie = (secure: boolean): string => cookie('', 0, secure);

const cookie = (value: string, maxAge: number, secure: boolean) =>
  `${SESSION_COOKIE}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;

/** The token behind a sealed cookie; null when it was tampered with or has expired. */
export async function tokenIdOf(sealed: string, secret: string): Promise<string | null> {
  // iron-session gives an empty object for seals that are expired or not its own.
  const session = sessionSchema.safeParse(await unsealData(sealed, { password: secret }));
  return session.success ? session.data.tokenId : null;
}
