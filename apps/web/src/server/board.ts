import { BOARD_PATH } from './board-path';
import { log } from './log';
import { identify } from './principal';
import { HttpProblem, problemOf, problemResponse } from './problem';
import { seeOther } from './redirect';
import { adminsOnlyPage } from './refusal-page';
import { services } from './services';

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

/** Answers with Bull Board for admins; others are told so, visitors sent to log in. */
export async function answerBoard(request: Request): Promise<Response> {
  try {
    const opened = await services();
    const { principal } = await identify(request, opened);
    const { pathname, search } = new URL(request.url);
    // Its page; what the page asks for beside it is for programs.
    const isPage = !/^\/(api|static)\//.test(pathname.slice(BOARD_PATH.length));
    if (principal?.role !== 'admin') {
      if (isPage && principal) return adminsOnlyPage();
      if (isPage) return seeOther(`/login?${new URLSearchParams({ next: pathname + search })}`);
      throw new HttpProblem(principal ? 403 : 401, 'The queues are shown to admins.');
    }
    const queues = await opened.store.workers.queues();
    const response = await opened.board(
      request,
      queues.map(({ device }) => device.key),
    );
    const headers = new Headers(response.headers);
    headers.set('Content-Security-Policy', POLICY);
    headers.set(
      'Cache-Control',
      pathname.includes('/static/') ? 'private, max-age=3600' : 'no-store',
    );
    return new Response(response.body, { status: response.status, headers });
  } catch (error) {
    const problem = problemOf(error);
    if (problem.status >= 500) log.error({ err: error, path: BOARD_PATH }, problem.message);
    return problemResponse(problem);
  }
}
