import { type NextRequest, NextResponse } from 'next/server';
import { refusedQuery } from './server/pages/page-queries';
import { badRequestPage } from './server/pages/refusal-page';
import { HttpProblem, problemResponse } from './server/problem';
import { PATH_HEADER } from './server/session/redirect';
import { parseTheme, SESSION_COOKIE, THEME_COOKIE } from './ui/site';

/**
 * The content security policy of pages. Scripts run by a nonce of the request,
 * which Next puts on its own; styles may be inline, because charts and
 * highlighted code carry theirs in attributes.
 */
function contentSecurityPolicy(nonce: string): string {
  // biome-ignore lint/style/noProcessEnv: a constant of the build; React's development build evaluates
  const development = process.env.NODE_ENV === 'development' ? " 'unsafe-eval'" : '';
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${development}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Whether an address can be decoded to text that the database can be asked for. */
function isReadable({ pathname, search }: URL): boolean {
  try {
    return !decodeURIComponent(`${pathname}${search}`).includes('\0');
  } catch {
    return false;
  }
}

/** Refuses addresses that cannot be read or answered, and gives pages their policy. */
export function proxy(request: NextRequest): Response {
  const reader = {
    theme: parseTheme(request.cookies.get(THEME_COOKIE)?.value),
    hasSession: request.cookies.has(SESSION_COOKIE),
  };
  const isApi = request.nextUrl.pathname.startsWith('/api/');
  if (!isReadable(request.nextUrl)) {
    if (isApi) return problemResponse(new HttpProblem(400, 'This address cannot be read.'));
    return badRequestPage(['It contains invalid characters.'], { path: null, reader });
  }
  if (isApi) return NextResponse.next();
  const refused = refusedQuery(new URL(request.url));
  if (refused.length > 0) {
    return badRequestPage(refused, { path: request.nextUrl.pathname, reader });
  }
  const policy = contentSecurityPolicy(btoa(crypto.randomUUID()));
  const headers = new Headers(request.headers);
  headers.set('Content-Security-Policy', policy);
  headers.set(PATH_HEADER, `${request.nextUrl.pathname}${request.nextUrl.search}`);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set('Content-Security-Policy', policy);
  return response;
}

export const config = { matcher: '/((?!_next/static/|icon.svg).*)' };
