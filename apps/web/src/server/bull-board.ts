import { Hono } from 'hono';
import { getCookie } from 'hono/cookie';
import { BOARD_PATH, parseTheme, THEME_COOKIE } from '@/ui/site';
import { adminsOnlyPage } from './pages/refusal-page';
import { HttpProblem } from './problem';
import { services } from './services';
import { identify } from './session/principal';
import { seeOther } from './session/redirect';

/** Its page has a base address, and scripts of this site without a nonce. */
const POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Bull Board, for admins; visitors are sent to log in. It only shows: it takes no other method. */
export const board = new Hono().get(`${BOARD_PATH}/*`, async (c) => {
  const opened = await services();
  const { principal } = await identify(c.req.raw.headers, opened);
  const { pathname, search } = new URL(c.req.url);
  // Its page; what the page asks for beside it is for programs.
  const isPage = !/^\/(api|static)\//.test(pathname.slice(BOARD_PATH.length));
  if (principal?.role !== 'admin') {
    if (isPage && principal)
      return adminsOnlyPage({ theme: parseTheme(getCookie(c, THEME_COOKIE)), hasSession: true });
    if (isPage) return seeOther(c, `/login?${new URLSearchParams({ next: pathname + search })}`);
    throw new HttpProblem(principal ? 403 : 401, 'The queues are for admins only.');
  }
  const [queues, workers] = await Promise.all([
    opened.store.workers.queues(),
    opened.store.workers.list(),
  ]);
  const attached = workers.filter(({ state }) => state !== 'lost');
  const response = await opened.board(
    c.req.raw,
    queues.map(({ device: { key } }) => ({
      key,
      workers: attached.filter(({ device }) => device.key === key),
    })),
  );
  const headers = new Headers(response.headers);
  headers.set('Content-Security-Policy', POLICY);
  headers.set(
    'Cache-Control',
    pathname.includes('/static/') ? 'private, max-age=3600' : 'no-store',
  );
  return new Response(response.body, { status: response.status, headers });
});
