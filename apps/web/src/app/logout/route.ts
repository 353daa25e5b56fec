import { checkSameOrigin } from '@/server/access';
import { problemOf, problemResponse } from '@/server/problem';
import { isSecure, seeOther } from '@/server/redirect';
import { endedSessionCookie } from '@/server/session';

export async function POST(request: Request): Promise<Response> {
  try {
    checkSameOrigin(request);
    return seeOther('/', { 'Set-Cookie': endedSessionCookie(isSecure(request)) });
  } catch (error) {
    return problemResponse(problemOf(error));
  }
}
