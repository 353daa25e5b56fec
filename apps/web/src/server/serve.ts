import type { AuditNote, Principal } from '@tilemark/core/server';
import type { z } from 'zod';
import { checkAccess, checkSameOrigin } from './access';
import { readJson } from './body';
import { etagOf } from './etag';
import { checkLimit } from './limit';
import { log } from './log';
import { observeRequest } from './metrics';
import type { Caching, Operation } from './operations';
import { identify, NOBODY } from './principal';
import { HttpProblem, problemOf, problemOfZod, problemResponse } from './problem';
import { type Services, services } from './services';
import { checkName, checkText } from './text';

/** What a route's function is given: checked input, and who asks. */
export interface Call<Query, Body> {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly principal: Principal | null;
  /** The entry that the audit list gets with what is done; of operations that change something. */
  readonly note: AuditNote | undefined;
  readonly services: Services;
}

type Params = Promise<Record<string, string | string[] | undefined>>;
type Route = (request: Request, context: { params: Params }) => Promise<Response>;

/**
 * A route handler: checks access and input as the operation declares, answers
 * with what `answer` returns (data, or a whole Response), and turns every error
 * into problem+json.
 */
export function serve<Query extends z.ZodType, Body extends z.ZodType>(
  operation: Operation<Query, Body>,
  answer: (call: Call<z.output<Query>, z.output<Body>>) => unknown,
): Route {
  const respond: Route = async (request, context) => {
    try {
      const opened = await services();
      // What is open to all asks nobody's name: health is told while tokens cannot be looked up.
      const { principal, by } =
        operation.access === 'open' ? NOBODY : await identify(request, opened);
      checkAccess(operation.access, principal, opened.settings.isPublic);
      if (operation.method !== 'GET' && by === 'session') checkSameOrigin(request);
      if (operation.limit && principal) {
        await checkLimit(opened, operation.limit, principal.tokenId);
      }
      const params = await textParams(context.params);
      const query = check<Query>(operation.query, queryOf(request));
      const body = check<Body>(
        operation.body,
        operation.body && (await readJson(request, operation.maxBodyBytes)),
      );
      const { audit: action } = operation;
      const note = action && principal ? { action, by: principal } : undefined;
      const call = { request, params, query, body, principal, note, services: opened };
      const result = await answer(call);
      if (result instanceof Response) return result;
      return jsonResponse(request, operation, result, opened.settings.isPublic);
    } catch (error) {
      const problem = problemOf(error);
      if (problem.status >= 500) log.error({ err: error, path: operation.path }, problem.message);
      return problemResponse(problem);
    }
  };
  return async (request, context) => {
    const startedMs = performance.now();
    const response = await respond(request, context);
    observeRequest(operation, response.status, (performance.now() - startedMs) / 1_000);
    return response;
  };
}

function check<Schema extends z.ZodType>(
  schema: Schema | undefined,
  input: unknown,
): z.output<Schema> {
  if (!schema) return undefined as z.output<Schema>;
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw problemOfZod(parsed.error, input);
  return parsed.data;
}

function queryOf(request: Request): Record<string, string> {
  const { searchParams } = new URL(request.url);
  for (const [name, value] of searchParams) {
    checkName(name);
    checkText(value, name);
  }
  return Object.fromEntries(searchParams);
}

/** Path parameters; a catch-all is joined again, since kernel ids hold slashes. */
async function textParams(params: Params): Promise<Record<string, string>> {
  const entries = Object.entries((await params) ?? {}).map(([name, value]) => {
    const text = Array.isArray(value) ? value.join('/') : (value ?? '');
    checkText(text, name);
    return [name, text];
  });
  return Object.fromEntries(entries);
}

function cacheControl(caching: Caching, isPublic: boolean): string {
  if (caching === 'never') return 'no-store';
  const scope = isPublic ? 'public' : 'private';
  return caching === 'release' ? `${scope}, max-age=60` : `${scope}, no-cache`;
}

function jsonResponse(
  request: Request,
  { answer, caching }: Operation,
  data: unknown,
  isPublic: boolean,
): Response {
  const headers = new Headers({
    'Cache-Control': cacheControl(caching, isPublic),
    Vary: 'Authorization, Cookie',
  });
  if (answer.status === 204) return new Response(null, { status: 204, headers });
  if (caching !== 'never') {
    const etag = etagOf(data);
    headers.set('ETag', etag);
    if (request.headers.get('if-none-match')?.includes(etag)) {
      return new Response(null, { status: 304, headers });
    }
  }
  headers.set('Content-Type', 'application/json; charset=utf-8');
  return new Response(JSON.stringify(data), { status: answer.status, headers });
}

/** What was looked up, or 404 with a sentence. */
export function found<T>(value: T | null, message: string): T {
  if (value === null) throw new HttpProblem(404, message);
  return value;
}

/** The principal of an operation whose access asks for one. */
export function signedIn(principal: Principal | null): Principal {
  if (!principal) throw new HttpProblem(401, 'Send a token, or sign in at /login.');
  return principal;
}
