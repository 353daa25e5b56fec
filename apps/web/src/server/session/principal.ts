import type { Principal } from '@tilemark/core/server';
import { parse } from 'hono/utils/cookie';
import { SESSION_COOKIE } from '@/ui/site';
import { HttpProblem } from '../problem';
import type { Services } from '../services';
import { type Access, checkAccess } from './access';
import { sessionIdOf } from './session';

/** The caller, and how they identified themselves: only cookies can be sent by another site. */
export interface Identity {
  readonly principal: Principal | null;
  readonly by: 'token' | 'session' | 'none';
}

export const NOBODY: Identity = { principal: null, by: 'none' };

/**
 * The principal of a request, by its bearer token or else its session. Throws 401 for a bad token, and 429
 * where the address sends too many.
 *
 * @param address absent: it was let in already
 */
export async function identify(
  headers: Headers,
  services: Services,
  address?: string,
): Promise<Identity> {
  const authorization = headers.get('authorization');
  if (authorization !== null) {
    const secret = /^Bearer\s+(\S+)$/i.exec(authorization)?.[1];
    const { reads, store } = services;
    const find = async () => (secret ? store.tokens.verify(secret) : null);
    const principal = await (secret && address ? reads.lookUp(secret, address, find) : find());
    if (!principal) {
      throw new HttpProblem(401, 'The token is unknown, expired or revoked.');
    }
    return { principal, by: 'token' };
  }
  const cookies = parse(headers.get('cookie') ?? '', SESSION_COOKIE);
  return identifySession(cookies[SESSION_COOKIE], services);
}

/**
 * Whether who was let in earlier would be let in now. Asked of long answers; an outage, in which
 * nobody can be looked up, ends none of them.
 */
export async function mayStill(
  access: Access,
  headers: Headers,
  services: Services,
): Promise<boolean> {
  try {
    const { principal } = await identify(headers, services);
    checkAccess(access, principal, services.settings.isPublic);
    return true;
  } catch (error) {
    return !(error instanceof HttpProblem);
  }
}

/** The principal of a session cookie's value. */
export async function identifySession(
  sealed: string | undefined,
  { store, settings }: Services,
): Promise<Identity> {
  const sessionId = await sessionIdOf(sealed, settings);
  const principal = sessionId ? await store.tokens.ofSession(sessionId) : null;
  return principal ? { principal, by: 'session' } : NOBODY;
}
