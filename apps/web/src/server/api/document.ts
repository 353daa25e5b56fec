import { type RouteConfig, z } from '@hono/zod-openapi';
import { problemDetailsSchema } from '@tilemark/core';
import { SESSION_COOKIE } from '@/ui/site';
import { NDJSON } from './body';
import type { Api, Operation } from './operation';

const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});

/** An operation as openapi.json shows it. */
export function described(declared: Operation, maxBytes: number): RouteConfig {
  const { access, answer, body, caching = 'never', id, limit, lines, path, query } = declared;
  const { method, refusals, summary } = declared;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, z.string()]);
  const types = answer.types ?? ['application/json'];
  const content = (schema: z.ZodType) =>
    Object.fromEntries(
      types.map((type) => [type, { schema: type === 'text/csv' ? z.string() : schema }]),
    );
  const bodyType = lines ? NDJSON : 'application/json';
  return {
    operationId: id,
    method,
    path,
    summary,
    'x-access': access,
    'x-caching': caching,
    ...(limit && { 'x-limit': limit }),
    security:
      access === 'open'
        ? []
        : [...(access === 'read' ? [{}] : []), { bearer: [] }, { session: [] }],
    request: {
      ...(names.length > 0 && { params: z.object(Object.fromEntries(names)) }),
      ...(query && { query: query as z.ZodObject }),
      ...(body && { body: { required: true, content: { [bodyType]: { schema: body } } } }),
    },
    responses: {
      [answer.status]: {
        description: 'Done.',
        ...(answer.schema && { content: content(answer.schema) }),
      },
      400: problem('The request is not valid; `field` names the part at fault.'),
      ...(access !== 'open' && { 401: problem('No token, or one that is not valid.') }),
      ...(access !== 'open' &&
        access !== 'read' && {
          403: problem('The role may not do this, or the session was used from another site.'),
        }),
      ...((limit || body) && {
        429: problem(
          'Too many requests, or long bodies, at once; `Retry-After` says when to try again.',
        ),
      }),
      ...(path.includes('{') && { 404: problem('Not found.') }),
      ...(body && {
        408: problem('The body arrived too slowly.'),
        413: problem(`Over ${maxBytes / 1e6} MB.`),
        415: problem(`Not ${bodyType}.`),
      }),
      ...Object.fromEntries(
        Object.entries(refusals ?? {}).map(([status, when]) => [status, problem(when)]),
      ),
      503: problem('The database or queue is unavailable. Nothing was changed.'),
    },
  };
}

/** OpenAPI 3.1 of an API, from the schemas that check its requests. */
export function openApi(api: Api, version: string) {
  return api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Tilemark API', version },
    servers: [{ url: '/api/v1' }],
  });
}

/** Adds what operations refer to by name. */
export function registerComponents({ openAPIRegistry }: Api): void {
  // By zod itself: a schema made before @hono/zod-openapi was loaded cannot be registered. The two
  // packages type JSON Schema each in their own way.
  const { $schema: _, ...details } = z.toJSONSchema(problemDetailsSchema);
  openAPIRegistry.registerComponent('schemas', 'Problem', details as never);
  openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: 'tm_<role>_<random>',
  });
  openAPIRegistry.registerComponent('securitySchemes', 'session', {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
  });
}
