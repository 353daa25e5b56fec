import { isServiceUnavailable } from '@tilemark/core/server';
import { type Context, Hono } from 'hono';
import { HttpProblem } from '../problem';
import { services } from '../services';
import { checkLogInLimit } from './limit';
import { checkSameOrigin } from './origin';
import { localPath, seeOther } from './redirect';
import { endSession, openSession } from './session';

/** A way to log in: a token, or the code of a link that works once. */
type Means = 'token' | 'code';

/** Logging in and out: a token is taken once, and a session kept in its place. */
export const login = new Hono()
  // Login links: `/login?code=…` and `/login?token=…` lead here.
  .get('/login/token', (c) => {
    const { code, next, token } = c.req.query();
    return code === undefined
      ? logIn(c, 'token', token, localPath(next))
      : logIn(c, 'code', code, localPath(next));
  })
  // The login form.
  .post('/login/token', async (c) => {
    checkSameOrigin(c.req.raw.headers);
    const form = await c.req.formData().catch(() => {
      throw new HttpProblem(415, 'Send the form of /login.');
    });
    const token = form.get('token');
    const secret = typeof token === 'string' ? token.trim() : undefined;
    return logIn(c, 'token', secret, localPath(form.get('next')));
  })
  .post('/logout', (c) => {
    checkSameOrigin(c.req.raw.headers);
    endSession(c);
    return seeOther(c, '/');
  });

/** Throws 429 for an address that tries too often. */
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
    const { store, settings } = opened;
    await checkLogInLimit(opened, c.req.raw.headers);
    const take = means === 'code' ? store.tokens.redeem : store.tokens.verify;
    const principal = secret ? await take(secret) : null;
    if (!principal) return again(means);
    // Before the session is given out: nobody is logged in without an entry.
    await store.audit.record({ action: 'logIn', by: principal }, null);
    await openSession(c, principal.tokenId, settings.sessionSecret);
    return seeOther(c, next);
  } catch (error) {
    if (!isServiceUnavailable(error)) throw error;
    return again('away');
  }
}
