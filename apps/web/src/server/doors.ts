import type { IncomingMessage, ServerResponse } from 'node:http';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { isBrowser, sendBusyPage } from './pages/busy-page';
import type { sharedPages } from './pages/shared-pages';
import { HttpProblem, problemResponse } from './problem';
import { tooMany } from './session/limit';
import type { Cost, Reads } from './session/reads';
import type { Turns } from './turns';

/**
 * Where each request goes, and whether now: what is not a read, and what is of the API, goes to the
 * API; pages go to Next, once their reader may have them.
 */

export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

const READS = new Set(['GET', 'HEAD']);
/** Reads that the API answers. */
const API = /^\/(api\/.|metrics$|login\/token$|logout$|results\/[^/]+\/badge\.svg$)/;
/** What costs nothing: files, and what says whether the site is up. */
const FREE = /^\/(_next\/static\/|icon\.svg$|favicon\.ico$|api\/v1\/health$|login\/token$)/;
/**
 * What workers ask all the time, by the hundred from one address; and logging in, which has a limit of
 * its own that the right token always passes.
 */
const FREE_WRITES = /^\/(api\/v1\/workers(\/|$)|login\/token$|logout$)/;
/** What is long and sent by programs: messages of a worker, and files of results. */
const BULKY = /^\/api\/v1\/(workers\/[^/]+\/|results\/import$)/;
/**
 * Of these, so many of one sender may be refused in so many seconds: reading and checking the largest
 * takes a tenth of a second, and nobody has many. It is told 429 then; a worker keeps its results.
 */
const MOST_REFUSED = { points: 6, duration: 5 };
const REFUSALS = new Set([400, 409, 413]);
/** Other than pages. */
const KINDS = [
  [/^\/api\/v1\/sweeps\/[^/]+\/events$/, 'events'],
  [/^\/api\/v1\/(sweeps\/[^/]+\/results|tunings\/[^/]+\/shapes)$/, 'table'],
  [/^\/(best|api\/v1\/best\/table)$/, 'question'],
  [/\/badge\.svg$/, 'picture'],
  [/^\/(api\/v1\/|metrics$|worker\.tgz)/, 'answer'],
  [/^\/(docs$|api$|join$|kernels\/new$)/, 'document'],
] as const;
const PAGES = new Set<Cost>(['page', 'document', 'question']);

export function costOf({ method, url = '/' }: Pick<IncomingMessage, 'method' | 'url'>): Cost {
  const [path = '/', query = ''] = url.split('?');
  if (!READS.has(method ?? '')) return 'answer';
  const kind = KINDS.find(([pattern]) => pattern.test(path))?.[1];
  // Pages of JSON are small; the whole of a sweep is not.
  const isPage = path.endsWith('/results') && !/(^|&)(format=csv|all=)/.test(query);
  if (kind === 'table' && isPage) return 'answer';
  return kind ?? 'page';
}

/** A page of one question costs as much as this many. */
const LEAST_ROWS = 5;

/** Rows of the table that an address asks for, as far as its text tells: a range or a suite is many. */
export function rowsIn(url: string): number {
  const query = new URLSearchParams(url.split('?')[1]);
  const shapes = query.get('shapes') ?? '';
  const many = shapes.includes('..') || query.has('suite');
  const count = (text: string) => text.split(/[,;\s]+/).filter(Boolean).length;
  return Math.max((many ? 64 : count(shapes)) * count(query.get('gpu') ?? '-'), LEAST_ROWS);
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * @param answers `pages` shares what it renders between readers, `page` does not
 * @param turns of readers who are not logged in
 */
export function doors(
  answers: {
    readonly api: Answer;
    readonly page: Answer;
    readonly pages: ReturnType<typeof sharedPages>;
  },
  openReads: () => Promise<Reads>,
  turns: Turns,
): (request: IncomingMessage, response: ServerResponse) => Promise<unknown> {
  const refused = new RateLimiterMemory(MOST_REFUSED);
  /** Tells a sender to wait of whom too much was refused; false: it may go on. */
  const toldToWait = async (request: IncomingMessage, response: ServerResponse, to: string) => {
    // With its token: whoever knows a worker's id alone uses up nothing of the worker's.
    const { authorization, cookie } = request.headers;
    const sender = `${to} ${authorization ?? cookie ?? request.socket.remoteAddress}`;
    const { consumedPoints = 0, msBeforeNext = 0 } = (await refused.get(sender)) ?? {};
    if (consumedPoints >= MOST_REFUSED.points) {
      const retryAfterS = Math.max(1, Math.ceil(msBeforeNext / 1_000));
      const problem = tooMany('Too much of what this token sends is refused', { retryAfterS });
      await send(response, problemResponse(problem));
      return true;
    }
    response.once('finish', () => {
      if (REFUSALS.has(response.statusCode)) void refused.penalty(sender);
    });
    return false;
  };
  return async (request, response) => {
    const { headers, method = '', socket, url = '/' } = request;
    const path = url.split('?', 1)[0] ?? '';
    const isRead = READS.has(method);
    if (isRead && hasBody(request)) {
      return send(
        response,
        problemResponse(new HttpProblem(400, 'A request that reads has no body.')),
      );
    }
    const [bulky] = (!isRead && BULKY.exec(path)) || [];
    if (bulky !== undefined && (await toldToWait(request, response, bulky))) return;
    const answer = isRead && !API.test(path) ? answers.page : answers.api;
    if ((isRead ? FREE : FREE_WRITES).test(path)) return answer(request, response);
    const reads = await openReads();
    const reader = await reads.reader({ headers, peer: socket.remoteAddress ?? 'unknown' });
    const cost = costOf(request);
    const isRefused = async (asked: Cost | 'none left') => {
      const times = asked === 'question' ? rowsIn(url) : 1;
      const problem =
        asked === 'none left' ? reads.noneLeft() : await reads.take(reader, asked, times);
      if (!problem) return false;
      if (isBrowser(headers)) sendBusyPage(response, problem.retryAfterS);
      else await send(response, problemResponse(problem));
      return true;
    };
    if (!isRead) return (await isRefused(cost)) ? undefined : answer(request, response);
    if (answer === answers.page && PAGES.has(cost) && !reader.isKnown) {
      return answers.pages(request, response, cost, isRefused);
    }
    const takesTurn = !reader.isKnown && cost !== 'events';
    if (await isRefused(takesTurn && turns.isFull() ? 'none left' : cost)) return;
    if (cost === 'events') {
      const stream = reads.open(reader);
      if ('status' in stream) return send(response, problemResponse(stream));
      response.once('close', () => stream.release());
    }
    if (takesTurn && !(await turns.during(response))) return;
    return answer(request, response);
  };
}

/** Takes nothing more from the connection. */
async function send(response: ServerResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), Connection: 'close' });
  response.end(await answer.text());
}
