import { problemDetailsSchema } from '@tilemark/core';
import { z } from 'zod';
import { SESSION_COOKIE } from '@/ui/site';
import type { Api, Operation } from './operation';

const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});

export function problemAnswers(
  { access, body, limit, path, refusals }: Operation,
  maxBodyBytes: number,
): Record<string, ReturnType<typeof problem>> {
  return {
    400: problem('The request is not valid; `field` names the part at fault.'),
    ...(access !== 'open' && { 401: problem('No token, or one that is not valid.') }),
    ...(access !== 'open' &&
      access !== 'read' && {
        403: problem('The role may not do this, or the session was used from another site.'),
      }),
    ...(limit && {
      429: problem('Too many requests within a minute; `Retry-After` says when to try again.'),
    }),
    ...(path.includes('{') && { 404: problem('Not found.') }),
    ...(body && {
      413: problem(`Over ${maxBodyBytes / 1e6} MB.`),
      415: problem('Not application/json.'),
    }),
    ...Object.fromEntries(
      Object.entries(refusals ?? {}).map(([status, when]) => [status, problem(when)]),
    ),
    503: problem('The database or queue is unavailable. Nothing was changed.'),
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
