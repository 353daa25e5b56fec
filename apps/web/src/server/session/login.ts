import type { HttpBindings } from '@hono/node-server';
import { ServiceUnavailable } from '@tilemark/core/server';
import { type Context, Hono } from 'hono';
import { getCookie } from 'hono/cookie';
import { SESSION_COOKIE } from '@/ui/site';
import { formBody } from '../api/body';
import { sourceOf } from '../api/received';
import { log } from '../log';
import { services } from '../services';
import { checkLogInLimit } from './limit';
import { checkSameOrigin } from './origin';
import { identifySession } from './principal';
import { COSTS, readerOf } from './reads';
import { localPath, seeOther } from './redirect';
import { endSession, openSession } from './session';

/** A way to log in: a token, or the code of a link that works once. */
type Means = 'token' | 'code';

/** The form of /login; larger ones are refused unread. */
const FORM_BYTES = 16_384;

/** Logging in and out: a token is taken once, and a session kept in its place. */
export const login = new Hono<{ Bindings: Partial<HttpBindings> }>()
  // Login links: `/login?code=…` and `/login?token=…` lead here.
  .get('/login/token', async (c) => {
    const { code, next, token } = c.req.query();
    const [means, secret] =
      code === undefined ? (['token', token] as const) : (['code', code] as const);
    if (secret && (await isToConfirm(c, means, secret))) {
      const query = { [means]: secret, confirm: '1', next: localPath(next) };
      return seeOther(c, `/login?${new URLSearchParams(query)}`);
    }
    return logIn(c, means, secret, localPath(next));
  })
  // The login form, and the confirmation of a link.
  .post('/login/token', async (c) => {
    checkSameOrigin(c.req.raw.headers);
    const form = await formBody(sourceOf(c, null), FORM_BYTES);
    const means = form.has('code') ? 'code' : 'token';
    return logIn(c, means, form.get(means)?.trim(), localPath(form.get('next')));
  })
  .post('/logout', async (c) => {
    checkSameOrigin(c.req.raw.headers);
    await endSession(c, await services());
    return seeOther(c, '/');
  });

/**
 * Whether a link logs in only once the reader says so: where another site led here, or the reader is
 * logged in as somebody else. Else any page could put its own session in place of the reader's.
 */
async function isToConfirm(c: Context, means: Means, secret: string): Promise<boolean> {
  const { headers } = c.req.raw;
  const site = headers.get('sec-fetch-site') ?? 'none';
  if (site !== 'none' && site !== 'same-origin') return true;
  try {
    const opened = await services();
    const { principal } = await identifySession(getCookie(c, SESSION_COOKIE), opened);
    if (!principal) return false;
    const holder = means === 'token' ? await opened.store.tokens.verify(secret) : null;
    return holder?.tokenId !== principal.tokenId;
  } catch (error) {
    if (error instanceof ServiceUnavailable) return false;
    throw error;
  }
}

/** Throws 429 for an address that fails too often; the right token always logs in. */
async function logIn(
  c: Context,
  means: Means,
  secret: string | undefined,
  next: string,
): Promise<Response> {
  const goOn: Record<string, string> = next === '/' ? {} : { next };
  const again = (failed: string) =>
    seeOther(c, `/login?${new URLSearchParams({ failed, ...goOn })}`);
  try {
    const opened = await services();
    const { store } = opened;
    const take = means === 'code' ? store.tokens.redeem : store.tokens.verify;
    const principal = secret ? await take(secret) : null;
    if (!principal) {
      // It was looked up.
      await opened.reads.take(readerOf(c, null, opened.settings), COSTS.answer);
      await checkLogInLimit(opened, c);
      return again(means);
    }
    await openSession(c, principal.tokenId, opened);
    log.info({ operation: 'logIn', by: principal }, 'logged in');
    return seeOther(c, next);
  } catch (error) {
    if (!(error instanceof ServiceUnavailable)) throw error;
    return again('away');
  }
}
