import { checkSameOrigin } from '@/server/access';
import { isServiceUnavailable } from '@/server/known-errors';
import { checkLogInLimit } from '@/server/limit';
import { HttpProblem, problemOf, problemResponse } from '@/server/problem';
import { isSecure, localPath, seeOther } from '@/server/redirect';
import { services } from '@/server/services';
import { sessionCookie } from '@/server/session';

/** A way to log in: a token, or the code of a link that is good for one time. */
type Means = 'token' | 'code';

/** Login links: `/login?code=…` and `/login?token=…` lead here. */
export async function GET(request: Request): Promise<Response> {
  try {
    const query = new URL(request.url).searchParams;
    const means: Means = query.has('code') ? 'code' : 'token';
    return await logIn(request, means, query.get(means), localPath(query.get('next')));
  } catch (error) {
    return problemResponse(problemOf(error));
  }
}

/** The login form. */
export async function POST(request: Request): Promise<Response> {
  try {
    checkSameOrigin(request);
    const form = await request.formData();
    const token = form.get('token');
    const next = localPath(form.get('next'));
    return await logIn(request, 'token', typeof token === 'string' ? token.trim() : null, next);
  } catch (error) {
    // formData throws a TypeError for bodies that are not forms.
    return problemResponse(
      error instanceof TypeError
        ? new HttpProblem(415, 'Send the form of /login.')
        : problemOf(error),
    );
  }
}

/** Throws 429 for an address that tries too often. */
async function logIn(
  request: Request,
  means: Means,
  secret: string | null,
  next: string,
): Promise<Response> {
  const goOn: Record<string, string> = next === '/' ? {} : { next };
  const again = (failed: string) => seeOther(`/login?${new URLSearchParams({ failed, ...goOn })}`);
  try {
    const opened = await services();
    const { store, settings } = opened;
    await checkLogInLimit(opened, request);
    const take = means === 'code' ? store.tokens.redeem : store.tokens.verify;
    const principal = secret ? await take(secret) : null;
    if (!principal) return again(means);
    // Before the session is given out: nobody is logged in without an entry.
    await store.audit.record({ action: 'logIn', by: principal }, null);
    return seeOther(next, {
      'Set-Cookie': await sessionCookie(
        principal.tokenId,
        settings.sessionSecret,
        isSecure(request),
      ),
    });
  } catch (error) {
    if (!isServiceUnavailable(error)) throw error;
    return again('away');
  }
}
