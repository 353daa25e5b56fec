import { z } from '@hono/zod-openapi';
import { GridUnavailable, NotAdmitted, Refused } from '@tilemark/core';
import { KeyUsed, LimitReached, ServiceUnavailable } from '@tilemark/core/server';
import { InputError } from '@tilemark/kernels';
import { Hono } from 'hono';
import { badge } from '../badge';
import { log } from '../log';
import { HttpProblem, problemResponse } from '../problem';
import { metrics } from '../prometheus';
import { login } from '../session/login';
import { alarms } from './alarms';
import { audit } from './audit';
import type { NodeRequest } from './body';
import { coverage } from './coverage';
import { devices } from './devices';
import { openApi, registerComponents } from './document';
import { invites } from './invites';
import { kernels } from './kernels';
import { leaderboard } from './leaderboard';
import { noun, ok, operation } from './operation';
import { beforeProtocol } from './protocol';
import { reference } from './reference';
import { results } from './results';
import { site } from './site';
import { sweeps } from './sweeps';
import { tokens } from './tokens';
import { tunings } from './tunings';
import { workerLink } from './worker-link';
import { workers } from './workers';

/**
 * Everything the site answers that is not a page, as one Hono app.
 *
 * API v1 is a file per noun. An endpoint is one call of `operation` there: what it is for, who may
 * use it, what it takes and answers, its limit, caching and entry in the audit list, and its code.
 * That declaration checks each request and is what openapi.json, docs/api.md and the tests of
 * roles and hostile input read. @hono/zod-openapi keeps declaration and route together; it asks
 * for zod 4 and is kept by Hono's own people.
 *
 * Errors are thrown: `problemOf` turns each into application/problem+json here, and nowhere else.
 */
export const v1 = noun();
for (const each of [
  site,
  devices,
  kernels,
  sweeps,
  tunings,
  results,
  reference,
  leaderboard,
  alarms,
])
  v1.route('/', each);
for (const each of [workers, workerLink, coverage, tokens, invites, audit]) v1.route('/', each);
registerComponents(v1);
operation(
  v1,
  {
    id: 'describe',
    method: 'get',
    path: '/openapi.json',
    summary: 'This description.',
    access: 'open',
    caching: 'release',
    answer: ok(z.looseObject({ openapi: z.string() })),
  },
  ({ services: { settings } }) => openApi(v1, settings.version),
);

const app = new Hono();
// Before the protocol, workers got accounts of their own in Postgres and Redis here.
app.post('/api/v1/workers/enroll', ({ req }) => {
  throw beforeProtocol(req.raw.headers);
});
app.route('/api/v1', v1);
app.route('/', login);
app.route('/', metrics);
app.route('/', badge);

app.onError((error, { req }) => {
  const problem = problemOf(error);
  if (problem.status >= 500) log.error({ err: error, path: req.path }, problem.message);
  return problemResponse(problem);
});

app.notFound(({ req }) => {
  const allowed = ['GET', 'POST', 'DELETE'].filter(
    (method) => app.router.match(method, req.path)[0].length > 0,
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
  return problemResponse(
    new HttpProblem(
      404,
      `There is nothing at ${req.path}; /api/v1/openapi.json lists every endpoint.`,
    ),
  );
});

/** @param node the request as Node has it, where it comes from Node's server */
export const handle = async (request: Request, node?: NodeRequest): Promise<Response> =>
  app.fetch(request, node);

/** What an error reveals: input errors name their field, bugs of ours nothing. */
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
