import { checkSameOrigin } from '@/server/access';
import { audit } from '@/server/audit';
import { isServiceUnavailable } from '@/server/known-errors';
import { addressOf, checkLimit } from '@/server/limit';
import { HttpProblem, problemOf, problemResponse } from '@/server/problem';
import { isSecure, seeOther } from '@/server/redirect';
import { services } from '@/server/services';
import { sessionCookie } from '@/server/session';

/** The login link: `/login?token=…` leads here. */
export async function GET(request: Request): Promise<Response> {
  try {
    return await logIn(request, new URL(request.url).searchParams.get('token'));
  } catch (error) {
    return problemResponse(problemOf(error));
  }
}

/** The login form. */
export async function POST(request: Request): Promise<Response> {
  try {
    checkSameOrigin(request);
    const token = (await request.formData()).get('token');
    return await logIn(request, typeof token === 'string' ? token.trim() : null);
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
async function logIn(request: Request, token: string | null): Promise<Response> {
  try {
    const opened = await services();
    const { store, settings } = opened;
    await checkLimit(opened, 'logIn', addressOf(request));
    const principal = token ? await store.tokens.verify(token) : null;
    if (!principal) return seeOther('/login?failed=token');
    await audit(opened, { action: 'logIn', by: principal, subject: null });
    return seeOther('/', {
      'Set-Cookie': await sessionCookie(
        principal.tokenId,
        settings.sessionSecret,
        isSecure(request),
      ),
    });
  } catch (error) {
    if (!isServiceUnavailable(error)) throw error;
    return seeOther('/login?failed=away');
  }
}
