import { z } from '@hono/zod-openapi';
import { GridUnavailable, NotAdmitted, Refused } from '@tilemark/core';
import { KeyUsed, LimitReached, ServiceUnavailable } from '@tilemark/core/server';
import { InputError } from '@tilemark/kernels';
import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { busyPage } from '../busy-page';
import { log } from '../log';
import { answerPage, type PageEnv, pages } from '../pages';
import { HttpProblem, problemResponse } from '../problem';
import { login } from '../session/login';
import { COSTS } from '../session/reads';
import { changes } from './changes';
import { devices } from './devices';
import { openApi, registerComponents } from './document';
import { invites } from './invites';
import { kernels } from './kernels';
import { leaderboard } from './leaderboard';
import { noun, ok, operation } from './operation';
import { beforeProtocol } from './protocol';
import { results } from './results';
import { site } from './site';
import { sweeps } from './sweeps';
import { tokens } from './tokens';
import { tunings } from './tunings';
import { workerLink } from './worker-link';
import { workers } from './workers';

/**
 * Everything the site answers, as one Hono app; its pages are Next's (pages.ts).
 *
 * API v1 is a file per noun. An endpoint is one call of `operation` there: what it is for, who may
 * use it, what it takes, costs and answers, its limit, caching, and its code.
 * That declaration checks each request and is what openapi.json, docs/api.md and the tests of
 * roles and hostile input read. @hono/zod-openapi keeps declaration and route together; it asks
 * for zod 4 and is kept by Hono's own people.
 *
 * Errors are thrown: `problemOf` turns each into application/problem+json here, and nowhere else.
 */
export const v1 = noun();
for (const each of [site, devices, kernels, sweeps, tunings, results, leaderboard, changes])
  v1.route('/', each);
for (const each of [workers, workerLink, tokens, invites]) v1.route('/', each);
registerComponents(v1);
let description: ReturnType<typeof openApi> | undefined;
operation(
  v1,
  {
    id: 'describe',
    method: 'get',
    path: '/openapi.json',
    cost: COSTS.board,
    summary: 'This description.',
    access: 'open',
    caching: 'release',
    answer: ok(z.looseObject({ openapi: z.string() })),
  },
  ({ services: { settings } }) => {
    description ??= openApi(v1, settings.version);
    return description;
  },
);

/** The page of any site may read, by a token that it was given: with `*`, browsers send no cookies. */
const reading = cors({
  origin: '*',
  allowMethods: ['GET'],
  allowHeaders: ['Authorization', 'If-None-Match'],
  exposeHeaders: ['Content-Disposition', 'ETag', 'Retry-After'],
  maxAge: 86_400,
});

const app = new Hono<PageEnv>();
app.use('/api/v1/*', (c, next) => {
  const isPreflight = c.req.header('access-control-request-method') !== undefined;
  const isRead = /^(GET|HEAD)$/.test(c.req.method) || (c.req.method === 'OPTIONS' && isPreflight);
  return isRead ? reading(c, next) : next();
});
// Before the protocol, workers got accounts of their own in Postgres and Redis here.
app.post('/api/v1/workers/enroll', ({ req }) => {
  throw beforeProtocol(req.raw.headers);
});
app.route('/api/v1', v1);
app.route('/', login);
app.route('/', pages);

app.onError((error, c) => {
  // Nobody hears it.
  if (c.req.raw.signal.aborted) return new Response(null, { status: 408 });
  const problem = problemOf(error);
  const { retryAfterS, status } = problem;
  if (status >= 500) log.error({ err: error, path: c.req.path }, problem.message);
  // Browsers name HTML, programs ask for anything.
  if (status !== 429 || !c.req.header('accept')?.includes('text/html'))
    return problemResponse(problem);
  return c.html(busyPage(retryAfterS ?? 1), 429, {
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
    'Cache-Control': 'no-store',
    'Retry-After': String(retryAfterS ?? 1),
  });
});

app.notFound((c) => {
  const { req } = c;
  const allowed = ['GET', 'POST', 'DELETE'].filter((method) =>
    app.router.match(method, req.path)[0].some(([[, route]]) => route.method === method),
  );
  const headers = { Allow: allowed.join(', ') };
  if (allowed.length > 0 && req.method === 'OPTIONS') {
    return new Response(null, { status: 204, headers });
  }
  if (allowed.length > 0) {
    return problemResponse(
      new HttpProblem(405, `${req.path} takes ${allowed.join(' and ')}.`),
      headers,
    );
  }
  if (/^(GET|HEAD)$/.test(req.method) && !req.path.startsWith('/api/')) return answerPage(c);
  return problemResponse(
    new HttpProblem(
      404,
      `There is nothing at ${req.path}; /api/v1/openapi.json lists every endpoint.`,
    ),
  );
});

/** @param env the request as Node has it, where it comes from Node's server, and Next */
export async function handle(request: Request, env: PageEnv['Bindings'] = {}): Promise<Response> {
  const { headers, method } = request;
  const hasBody =
    headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > 0;
  if (hasBody && /^(GET|HEAD)$/.test(method)) {
    const problem = new HttpProblem(400, 'A request that reads has no body.');
    return problemResponse(problem, { Connection: 'close' });
  }
  return app.fetch(request, env);
}

/** The problem of an error: input errors name their field, bugs of ours nothing. */
export function problemOf(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof InputError) return new HttpProblem(400, error.message, error.field);
  if (error instanceof LimitReached) {
    return new HttpProblem(429, error.message, undefined, error.retryAfterS);
  }
  if (error instanceof KeyUsed) return new HttpProblem(409, error.message, 'Idempotency-Key');
  if (error instanceof NotAdmitted) return new HttpProblem(403, error.message);
  if (error instanceof Refused) {
    if (error.cause) log.error({ err: error.cause }, error.message);
    return new HttpProblem(error.isGone ? 404 : 409, error.message, error.field);
  }
  if (error instanceof GridUnavailable) {
    // Its message tells where the service is, which is for the log.
    return new HttpProblem(
      503,
      error instanceof ServiceUnavailable && error.isDiskFull
        ? "The disk of the grid's database or queue is full. Nothing was changed; its operator has to make room."
        : 'The database or queue is unavailable. Nothing was changed; try again soon.',
    );
  }
  return new HttpProblem(500, 'Something failed on the server; see its log.');
}
