import { checkSameOrigin } from '@/server/access';
import { isServiceUnavailable } from '@/server/known-errors';
import { HttpProblem, problemOf, problemResponse } from '@/server/problem';
import { isSecure, seeOther } from '@/server/redirect';
import { services } from '@/server/services';
import { sessionCookie } from '@/server/session';

/** The login link: `/login?token=…` leads here. */
export const GET = (request: Request) =>
  logIn(request, new URL(request.url).searchParams.get('token'));

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

async function logIn(request: Request, token: string | null): Promise<Response> {
  try {
    const { store, settings } = await services();
    const principal = token ? await store.tokens.verify(token) : null;
    if (!principal) return seeOther('/login?failed=token');
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
