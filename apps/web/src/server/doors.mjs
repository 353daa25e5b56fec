import { isBrowser, sendBusyPage } from './pages/busy-page.mjs';

/**
 * Where each request goes, and whether now: what is not a read goes to the API, with its body
 * unread; reads go to Next once their reader may have them.
 */

/**
 * What instrumentation.ts offers, a moment after the process starts.
 *
 * @typedef {{
 *   handle(request: Request, node?: unknown): Promise<Response>,
 *   openReads(): Promise<import('./session/reads').Reads>,
 *   problemResponse(problem: import('./problem').HttpProblem): Response,
 * }} Tilemark
 */

/** @typedef {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => Promise<void>} Answer */

const READS = new Set(['GET', 'HEAD']);
/** What costs nothing: files, and what says whether the site is up. */
const FREE = /^\/(_next\/static\/|icon\.svg$|favicon\.ico$|api\/v1\/health$|login\/token$)/;
/**
 * What workers ask all the time, by the hundred from one address; and logging in, which has a limit of
 * its own that the right token always passes.
 */
const FREE_WRITES = /^\/(api\/v1\/workers(\/|$)|login\/token$|logout$)/;
/** Other than pages. */
const KINDS = /** @type {const} */ ([
  [/^\/api\/v1\/sweeps\/[^/]+\/events$/, 'events'],
  [/^\/api\/v1\/sweeps\/[^/]+\/results$/, 'table'],
  [/\/badge\.svg$/, 'picture'],
  [/^\/(api\/v1\/|metrics$|worker\.tgz)/, 'answer'],
  [/^\/(docs(\/|$)|api$|join$|kernels\/new$)/, 'document'],
]);
const PAGES = new Set(['page', 'document']);

/**
 * @param {Pick<import('node:http').IncomingMessage, 'method' | 'url'>} request
 * @returns {import('./session/reads').Cost}
 */
export function costOf({ method, url = '/' }) {
  const [path = '/', query = ''] = url.split('?');
  if (!READS.has(method ?? '')) return path === '/api/v1/best' ? 'table' : 'answer';
  const kind = KINDS.find(([pattern]) => pattern.test(path))?.[1];
  // Its pages of JSON are small; the whole of it is not.
  if (kind === 'table' && !/(^|&)(format=csv|all=)/.test(query)) return 'answer';
  return kind ?? 'page';
}

/** @param {import('node:http').IncomingMessage} request */
const hasBody = ({ headers }) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * @param {{ api: Answer, page: Answer, pages: ReturnType<typeof import('./pages/shared-pages.mjs').sharedPages> }} answers
 *   `pages` shares what it renders between readers, `page` does not
 * @param {() => Tilemark | undefined} offered
 * @param {import('./turns.mjs').Turns} turns of readers who are not logged in
 * @returns {Answer}
 */
export function doors({ api, page, pages }, offered, turns) {
  /**
   * Says why not, and takes nothing more from the connection.
   *
   * @param {import('node:http').ServerResponse} response
   * @param {number} status
   * @param {string} detail
   * @param {Record<string, string>} [headers]
   */
  const refuse = (response, status, detail, headers) => {
    const body = JSON.stringify({ type: 'about:blank', title: 'Refused', status, detail });
    response
      .writeHead(status, {
        'Content-Type': 'application/problem+json',
        'Cache-Control': 'no-store',
        Connection: 'close',
        ...headers,
      })
      .end(body);
  };

  return async (request, response) => {
    const { method = '', url = '/' } = request;
    const path = url.split('?', 1)[0] ?? '';
    const isRead = READS.has(method);
    if (isRead && hasBody(request)) {
      return refuse(response, 400, 'A request that reads has no body.');
    }
    const tilemark = offered();
    if (!tilemark) {
      if (isRead) return page(request, response);
      return refuse(response, 503, 'The site is starting.', { 'Retry-After': '1' });
    }
    if (isRead ? FREE.test(path) : FREE_WRITES.test(path)) {
      return (isRead ? page : api)(request, response);
    }
    const reads = await tilemark.openReads();
    const { headers, socket } = request;
    const reader = await reads.reader({ headers, peer: socket.remoteAddress ?? 'unknown' });
    const cost = costOf(request);
    /** @param {import('./session/reads').Cost | 'none left'} asked */
    const isRefused = async (asked) => {
      const problem = asked === 'none left' ? reads.noneLeft() : await reads.take(reader, asked);
      if (!problem) return false;
      if (isBrowser(headers)) sendBusyPage(response, problem.retryAfterS);
      else await send(response, tilemark.problemResponse(problem));
      return true;
    };
    if (!isRead) return (await isRefused(cost)) ? undefined : api(request, response);
    if (PAGES.has(cost) && !reader.isKnown) return pages(request, response, cost, isRefused);
    const takesTurn = !reader.isKnown && cost !== 'events';
    if (await isRefused(takesTurn && turns.isFull() ? 'none left' : cost)) return;
    if (cost === 'events') {
      const stream = reads.open(reader);
      if ('status' in stream) return send(response, tilemark.problemResponse(stream));
      response.once('close', () => stream.release());
    }
    if (takesTurn && !(await turns.during(response))) return;
    return page(request, response);
  };
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {Response} answer
 */
async function send(response, answer) {
  response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), Connection: 'close' });
  response.end(await answer.text());
}
