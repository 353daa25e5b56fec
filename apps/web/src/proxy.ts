import { type NextRequest, NextResponse } from 'next/server';
import { PATH_HEADER } from './server/session/redirect';

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

/** Gives pages their policy. An address that cannot be read is that of none. */
export function proxy(request: NextRequest): Response {
  const policy = contentSecurityPolicy(btoa(crypto.randomUUID()));
  const headers = new Headers(request.headers);
  headers.set('Content-Security-Policy', policy);
  headers.set(PATH_HEADER, `${request.nextUrl.pathname}${request.nextUrl.search}`);
  const response = isReadable(request.nextUrl)
    ? NextResponse.next({ request: { headers } })
    : NextResponse.rewrite(new URL('/unreadable', request.url), { request: { headers } });
  response.headers.set('Content-Security-Policy', policy);
  return response;
}

export const config = { matcher: '/((?!_next/static/|icon.svg).*)' };
