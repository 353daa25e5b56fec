import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { MAXIMA } from '@tilemark/core';
import type { Limits, Principal } from '@tilemark/core/server';
import type { Context, MiddlewareHandler } from 'hono';
import { compress } from 'hono/compress';
import { etag } from 'hono/etag';
import { queryObject } from '@/ui/query';
import { etagOf } from '../etag';
import { log } from '../log';
import { HttpProblem, type ProblemStatus } from '../problem';
import { type Services, services } from '../services';
import { type Access, checkAccess } from '../session/access';
import { checkLimit, checkLogInLimit } from '../session/limit';
import { checkSameOrigin } from '../session/origin';
import { identify, NOBODY } from '../session/principal';
import { COSTS, type Cost, msOf, readerOf } from '../session/reads';
import { checked, checkName, checkText, jsonBody } from './body';
import { described } from './document';
import { checkProtocol } from './protocol';
import { sourceOf } from './received';

/** The findings of the checks before an operation. */
export interface Env {
  /** The request as Node has it; empty in tests. */
  readonly Bindings: Partial<HttpBindings>;
  readonly Variables: { readonly services: Services; readonly principal: Principal | null };
}
export type Api = OpenAPIHono<Env>;

/** The operations of one noun. */
export const noun = (): Api => new OpenAPIHono<Env>();

/** The caches in which an operation's answers may be kept. */
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
  /** The limit it counts towards, per token; `logIn`: per address, where it fails. */
  readonly limit?: keyof Limits;
  /** About what it takes of a process, ms; that of most answers unless given. */
  readonly cost?: Cost;
  /** Beyond that, what each run of the sweep that it makes takes, ms: charged once it is made. */
  readonly costOfRun?: number;
  /** Larger bodies are refused; 1 MB unless given. */
  readonly maxBytes?: number;
  /** Its body may come as gzip, and is at most this large unpacked. */
  readonly maxUnpackedBytes?: number;
  /** A list of its body, which comes as NDJSON: a line of all else, then a line per entry of the list. */
  readonly lines?: string;
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

/** The arguments of an operation's code: checked input, and who asks. */
export interface Call<Path extends string, Query, Body> {
  readonly c: Context<Env>;
  readonly params: Params<Path>;
  readonly query: Query;
  readonly body: Body;
  readonly principal: Principal | null;
  /** Goes into the audit list with what is done; of operations that change something. */
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
  const { body: schema, lines, method, path, pattern, query: querySchema } = declared;
  const { costOfRun = 0, maxBytes = MAXIMA.bytes.body, maxUnpackedBytes } = declared;
  // A parameter that is misspelt would be left out.
  const isOpen = !(querySchema instanceof z.ZodObject) || querySchema.def.catchall;
  const asked = isOpen ? querySchema : querySchema.strict();
  api.openAPIRegistry.registerPath(described(declared, maxBytes));
  api.on(
    method.toUpperCase(),
    [pattern ?? path.replaceAll(/\{(\w+)\}/g, ':$1')],
    ...(method === 'get' ? [compress()] : []),
    admitted(declared),
    async (c) => {
      const { principal, services: opened } = c.var;
      const query = asked && checked(asked, queryObject(new URL(c.req.url).searchParams));
      const source = sourceOf(c, principal);
      const body =
        schema && (await jsonBody(source, { schema, lines, maxBytes, maxUnpackedBytes }));
      const result = await answer({
        c,
        params: c.req.param() as Params<Path>,
        query: query as z.output<Query>,
        body: body as z.output<Body>,
        principal,
        services: opened,
      });
      if (costOfRun > 0) {
        const { reads, settings } = opened;
        const runs = sweepMade.safeParse(result).data?.counts.total ?? 0;
        const taken = reads.take(readerOf(c, principal, settings), costOfRun * runs);
        // It is done: who has no more is told at the next request.
        await taken.catch(() => undefined);
      }
      if (isLogged(declared)) {
        const made = z.object({ id: z.string() }).safeParse(result).data?.id;
        log.info(
          { operation: declared.id, by: principal, subject: c.req.param('id') ?? made },
          'done',
        );
      }
      return result instanceof Response ? result : json(c, declared, result);
    },
  );
}

const sweepMade = z.object({ counts: z.object({ total: z.number() }) });

/** Whether it changes something, save what workers do all the time. */
const isLogged = ({ access, isLink, method }: Operation): boolean =>
  method !== 'get' && access !== 'read' && !isLink;

/** Lets in who may do this, of their own will, not too often, and in text that can be stored. */
const admitted = (declared: Operation): MiddlewareHandler<Env> => {
  const { access, answer, id, isLink, limit, lines, method } = declared;
  const isStream = answer.types?.includes('text/event-stream');
  const { cost = isStream ? COSTS.events : COSTS.answer } = declared;
  const isLong = isLink || lines !== undefined;
  return async (c, next) => {
    const opened = await services();
    const { reads, settings } = opened;
    const { headers, url } = c.req.raw;
    const { outgoing } = c.env ?? {};
    const ms = msOf(cost, c.req);
    // What is open to all needs no name: health is shown while tokens cannot be looked up.
    const { principal, by } =
      access === 'open'
        ? NOBODY
        : await identify(headers, opened, readerOf(c, null, settings).key).catch(
            async (error: unknown) => {
              // It was looked up, whatever it asked for.
              await reads.take(readerOf(c, null, settings), Math.max(ms, COSTS.answer));
              throw error;
            },
          );
    const reader = readerOf(c, principal, settings);
    if (method === 'get' && !isStream) await reads.takeTurn(reader, ms, outgoing);
    // Who asks as a worker without a token is refused for that.
    else if (principal || !isLink) await reads.take(reader, ms);
    if (outgoing?.destroyed) return RESPONSE_ALREADY_SENT;
    checkAccess(access, principal, settings.isPublic);
    if (isStream) reads.openStream(reader, outgoing);
    if (isLink) checkProtocol(headers);
    if (method !== 'get' && by === 'session') checkSameOrigin(headers);
    if (limit && limit !== 'logIn' && principal) await checkLimit(opened, limit, principal.tokenId);
    for (const [name, value] of Object.entries<string>(c.req.param())) checkText(value, name);
    for (const [name, value] of new URL(url).searchParams) {
      checkName(name);
      checkText(value, name);
    }
    const sender = isLong && principal && `${principal.tokenId} ${c.req.param('id') ?? id}`;
    if (sender) await reads.checkRefusals(sender);
    c.set('services', opened);
    c.set('principal', principal);
    await next();
    if (sender && REFUSALS.has(c.res.status)) await reads.countRefusal(sender);
    if (limit === 'logIn' && c.error) await checkLogInLimit(opened, c);
    return undefined;
  };
};

/** How a long body is refused after it was read. */
const REFUSALS = new Set([400, 409, 413]);

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
export function orNotFound<T>(value: T | null, message: string): T {
  if (value === null) throw new HttpProblem(404, message);
  return value;
}

/** The principal of an operation whose access asks for one. */
export function signedIn(principal: Principal | null): Principal {
  if (!principal) throw new HttpProblem(401, 'Send a token, or log in at /login.');
  return principal;
}

export const cursorQuery = z.object({ cursor: z.string().min(1).max(500).optional() });
/** The query of lists that are paged by id. */
export const idCursorQuery = z.object({
  cursor: z.uuid('This is not a cursor of this list.').optional(),
});
/** The query of answers that are tables. */
export const formatQuery = { format: z.enum(['json', 'csv']).default('json') };
export const TABLE_TYPES = ['application/json', 'text/csv'] as const;
export const ok = (schema: z.ZodType) => ({ status: 200, schema }) as const;
/** A list that is short enough to be one page. */
export const onePage = <T>(items: T[]) => ({ items, nextCursor: null });
