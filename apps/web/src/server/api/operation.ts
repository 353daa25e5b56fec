import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { type AuditAction, MAXIMA } from '@tilemark/core';
import type { AuditNote, Limits, Principal } from '@tilemark/core/server';
import type { Context, MiddlewareHandler } from 'hono';
import { compress } from 'hono/compress';
import { etag } from 'hono/etag';
import { etagOf } from '../etag';
import { HttpProblem, type ProblemStatus, problemOfZod } from '../problem';
import { observeRequest } from '../prometheus';
import { type Services, services } from '../services';
import { type Access, checkAccess } from '../session/access';
import { checkLimit, checkLogInLimit } from '../session/limit';
import { checkSameOrigin } from '../session/origin';
import { identify, NOBODY } from '../session/principal';
import { type BodyForm, checkName, checkText, jsonBody, type NodeRequest } from './body';
import { problemAnswers } from './document';
import { checkProtocol } from './protocol';

/** What the checks before an operation have found out. */
export interface Env {
  readonly Bindings: NodeRequest;
  readonly Variables: {
    readonly services: Services;
    readonly principal: Principal | null;
    /** Of `longList`. */
    readonly items?: readonly unknown[];
    /** The body is checked: the next one may be. Absent: it is short. */
    readonly endTurn?: () => void;
  };
}
export type Api = OpenAPIHono<Env>;

/** The operations of one noun. */
export const noun = (): Api => new OpenAPIHono<Env>();

/** Where the answers of an operation may be kept. */
type Caching =
  /** Changes with the grid: kept, and revalidated by its ETag. */
  | 'revalidate'
  /** Changes with the release only. */
  | 'release'
  | 'never';

/** Everything about an operation but its code: checked on each request and shown in openapi.json. */
export interface Operation<
  Path extends string = string,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
> {
  readonly id: string;
  readonly method: 'get' | 'post' | 'delete';
  /** As OpenAPI writes it: `/sweeps/{id}`. */
  readonly path: Path;
  /** As Hono matches it, where a parameter contains slashes: `/kernels/:id{.+}`. */
  readonly pattern?: string;
  readonly summary: string;
  readonly access: Access;
  /** `never` unless given. */
  readonly caching?: Caching;
  readonly query?: Query;
  readonly body?: Body;
  /** Why a body that `body` refuses does not belong here; null: what the schema says stands. */
  readonly misplaced?: (body: unknown) => string | null;
  /** The limit it counts towards, per token; `logIn`: per address, where it fails. */
  readonly limit?: keyof Limits;
  /**
   * Its entry in the audit list; every operation that changes something has one, save what workers
   * do all the time.
   */
  readonly audit?: AuditAction;
  /** Larger bodies are refused; 1 MB unless given. */
  readonly maxBodyBytes?: number;
  /** Its body may come as gzip, and is at most this large unpacked. */
  readonly maxUnpackedBytes?: number;
  /** A list of objects at the top of its body that may be long. */
  readonly longList?: string;
  /** Part of the worker's link: the request names its protocol. */
  readonly isLink?: boolean;
  /** When it answers with these, beyond what access, path and body imply. */
  readonly refusals?: Readonly<Partial<Record<ProblemStatus, string>>>;
  readonly answer: {
    readonly status: 200 | 201 | 204;
    readonly schema?: z.ZodType;
    /** Media types of the answer; JSON unless given. */
    readonly types?: readonly string[];
  };
}

type Params<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Key in Name]: string } & Params<Rest>
  : unknown;

/** What the code of an operation is given: checked input, and who asks. */
export interface Call<Path extends string, Query, Body> {
  readonly c: Context<Env>;
  readonly params: Params<Path>;
  readonly query: Query;
  readonly body: Body;
  readonly principal: Principal | null;
  /** Goes into the audit list with what is done; of operations that change something. */
  readonly note: AuditNote | undefined;
  readonly services: Services;
}

/**
 * Adds an operation to its noun: checks access and input as declared, then answers with what
 * `answer` returns, data or a whole Response. Errors are left to the app's `onError`.
 */
export function operation<Path extends string, Query extends z.ZodType, Body extends z.ZodType>(
  api: Api,
  declared: Operation<Path, Query, Body>,
  answer: (call: Call<Path, z.output<Query>, z.output<Body>>) => unknown,
): void {
  const { pattern } = declared;
  const route = routeOf(declared);
  if (pattern) api.openAPIRegistry.registerPath(route);
  const handler = async (c: Context<Env>): Promise<Response> => {
    const { endTurn, principal, services: opened } = c.var;
    const { audit: action } = declared;
    endTurn?.();
    const result = await answer({
      c,
      params: checked<Params<Path>>(c, 'param'),
      query: checked<z.output<Query>>(c, 'query'),
      body: withItems(c, declared, checked<z.output<Body>>(c, 'json')),
      principal,
      note: action && principal ? { action, by: principal } : undefined,
      services: opened,
    });
    return result instanceof Response ? result : json(c, declared, result);
  };
  api.openapi(
    pattern ? { ...route, path: pattern, hide: true } : route,
    // The types of @hono/zod-openapi want a route whose statuses are written out.
    handler as never,
    (parsed) => {
      if (parsed.success) return;
      const input: unknown = Reflect.get(parsed, 'data');
      const why = parsed.target === 'json' && declared.misplaced?.(input);
      throw why ? new HttpProblem(400, why) : problemOfZod(parsed.error, input);
    },
  );
}

/** A body with its long list, which the validator was given empty. */
const withItems = <T>({ var: { items } }: Context<Env>, { longList }: Operation, body: T): T =>
  longList && items ? { ...body, [longList]: items } : body;

/** What Hono's validators have put aside; their types do not survive a general declaration. */
const checked = <T>(c: Context, target: string): T => c.req.valid(target as never) as T;

function routeOf(declared: Operation) {
  const { access, answer, audit, body, caching = 'never', id, limit, path, query } = declared;
  const {
    longList,
    maxBodyBytes = MAXIMA.bytes.body,
    maxUnpackedBytes,
    method,
    summary,
  } = declared;
  const form = {
    maxBytes: maxBodyBytes,
    unpackedBytes: maxUnpackedBytes,
    list: listOf(body, longList),
    misplaced: declared.misplaced,
  };
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, z.string()]);
  const types = answer.types ?? ['application/json'];
  const content = (schema: z.ZodType) =>
    Object.fromEntries(
      types.map((type) => [type, { schema: type === 'text/csv' ? z.string() : schema }]),
    );
  return createRoute({
    operationId: id,
    method,
    path,
    summary,
    'x-access': access,
    'x-caching': caching,
    ...(audit && { 'x-audit': audit }),
    ...(limit && { 'x-limit': limit }),
    security:
      access === 'open'
        ? []
        : [...(access === 'read' ? [{}] : []), { bearer: [] }, { session: [] }],
    request: {
      ...(names.length > 0 && { params: z.object(Object.fromEntries(names)) }),
      ...(query && { query: query as z.ZodObject }),
      ...(body && { body: { required: true, content: { 'application/json': { schema: body } } } }),
    },
    responses: {
      [answer.status]: {
        description: 'Done.',
        ...(answer.schema && { content: content(answer.schema) }),
      },
      ...problemAnswers(declared, maxBodyBytes),
    },
    middleware: [
      ...(method === 'get' ? [compress()] : []),
      observed(declared),
      admitted(declared),
      ...(body ? [jsonBody(form)] : []),
    ],
  });
}

/** The schema of the entries of a list in a body. */
function listOf(body: z.ZodType | undefined, name: string | undefined): BodyForm['list'] {
  if (!name || !(body instanceof z.ZodObject)) return undefined;
  const list: unknown = body.shape[name];
  if (!(list instanceof z.ZodArray)) throw new TypeError(`${name} is no list of the body`);
  return { name, item: list.element as z.ZodType };
}

/** Counts the request for Prometheus, by operation: ids in addresses are not labels. */
const observed =
  ({ method, path }: Operation): MiddlewareHandler =>
  async (c, next) => {
    const startedMs = performance.now();
    await next();
    observeRequest(method.toUpperCase(), path, c.res.status, performance.now() - startedMs);
  };

/** Lets in who may do this, of their own will, not too often, and in text that can be stored. */
const admitted =
  ({ access, isLink, limit, method }: Operation): MiddlewareHandler<Env> =>
  async (c, next) => {
    const opened = await services();
    const { headers, url } = c.req.raw;
    // What is open to all needs no name: health is shown while tokens cannot be looked up.
    const { principal, by } = access === 'open' ? NOBODY : await identify(headers, opened);
    checkAccess(access, principal, opened.settings.isPublic);
    if (isLink) checkProtocol(headers);
    if (method !== 'get' && by === 'session') checkSameOrigin(headers);
    if (limit && limit !== 'logIn' && principal) await checkLimit(opened, limit, principal.tokenId);
    for (const [name, value] of Object.entries<string>(c.req.param())) checkText(value, name);
    const { searchParams } = new URL(url);
    for (const [name, value] of searchParams) {
      checkName(name);
      checkText(value, name);
    }
    useLastOfEach(c, searchParams);
    c.set('services', opened);
    c.set('principal', principal);
    await next();
    if (limit === 'logIn' && c.error) await checkLogInLimit(opened, headers);
  };

/** Of a query parameter that is given twice the last one counts; Hono would make a list. */
function useLastOfEach(c: Context, given: URLSearchParams): void {
  const last = Object.fromEntries(given);
  if (Object.keys(last).length === given.size) return;
  const url = new URL(c.req.url);
  url.search = new URLSearchParams(last).toString();
  c.req.raw = new Request(url, c.req.raw);
}

/** Answers 304 to a reader who has this already. */
const revalidated = etag();

async function json(c: Context<Env>, declared: Operation, data: unknown): Promise<Response> {
  const { answer, caching = 'never', method } = declared;
  const { status } = answer;
  const text = status === 204 ? '' : JSON.stringify(data);
  const headers = {
    'Cache-Control': cacheControl(caching, c.var.services.settings.isPublic),
    Vary: 'Authorization, Cookie',
    ...(text && { 'Content-Type': 'application/json; charset=utf-8' }),
  };
  const { outgoing } = c.env ?? {};
  if (outgoing && method !== 'get') {
    // A Response would be sent through a web stream, which costs more than the rest.
    const length = text && { 'Content-Length': Buffer.byteLength(text) };
    outgoing.writeHead(status, { ...headers, ...length }).end(text);
    return RESPONSE_ALREADY_SENT;
  }
  if (caching === 'never') return new Response(text || null, { status, headers });
  await revalidated(c, async () => {
    c.res = new Response(text, { status, headers: { ...headers, ETag: etagOf(data) } });
  });
  return c.res;
}

function cacheControl(caching: Caching, isPublic: boolean): string {
  if (caching === 'never') return 'no-store';
  const scope = isPublic ? 'public' : 'private';
  return caching === 'release' ? `${scope}, max-age=60` : `${scope}, no-cache`;
}

/** What was looked up, or 404 with a sentence. */
export function found<T>(value: T | null, message: string): T {
  if (value === null) throw new HttpProblem(404, message);
  return value;
}

/** The principal of an operation whose access asks for one. */
export function signedIn(principal: Principal | null): Principal {
  if (!principal) throw new HttpProblem(401, 'Send a token, or log in at /login.');
  return principal;
}

export const cursorQuery = z.object({ cursor: z.string().min(1).max(500).optional() });
/** Of lists that are paged by id. */
export const idCursorQuery = z.object({
  cursor: z.uuid('This is not a cursor of this list.').optional(),
});
/** Of answers that are tables. */
export const formatQuery = { format: z.enum(['json', 'csv']).default('json') };
export const TABLE_TYPES = ['application/json', 'text/csv'] as const;
export const ok = (schema: z.ZodType) => ({ status: 200, schema }) as const;
/** A list that is short enough to be one page. */
export const onePage = <T>(items: T[]) => ({ items, nextCursor: null });
