import { type NextRequest, NextResponse } from 'next/server';
import { refusedQuery } from './server/pages/page-queries';
import { REFUSAL_HEADER, type Refusal, refusalText } from './server/pages/refusal';
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

/** Refuses addresses that cannot be read or answered, and gives pages their policy. */
export function proxy(request: NextRequest): Response {
  if (!isReadable(request.nextUrl)) {
    return page(request, { reasons: ['It contains invalid characters.'], path: null });
  }
  const reasons = refusedQuery(new URL(request.url));
  return page(request, reasons.length > 0 ? { reasons, path: request.nextUrl.pathname } : null);
}

/** Passes on to the page, or to the one that says why there is none: only here its status can be 400. */
function page(request: NextRequest, refusal: Refusal | null): NextResponse {
  const policy = contentSecurityPolicy(btoa(crypto.randomUUID()));
  const headers = new Headers(request.headers);
  headers.set('Content-Security-Policy', policy);
  headers.set(PATH_HEADER, `${request.nextUrl.pathname}${request.nextUrl.search}`);
  headers.delete(REFUSAL_HEADER);
  if (refusal) headers.set(REFUSAL_HEADER, refusalText(refusal));
  const response = refusal
    ? NextResponse.rewrite(new URL('/refused', request.url), { request: { headers }, status: 400 })
    : NextResponse.next({ request: { headers } });
  response.headers.set('Content-Security-Policy', policy);
  return response;
}

export const config = { matcher: '/((?!_next/static/|icon.svg).*)' };
