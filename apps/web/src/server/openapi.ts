import { problemDetailsSchema } from '@tilemark/core';
import { z } from 'zod';
import { type Operation, operations } from './operations';

/** Without the dialect, which the document states once. */
export const jsonSchema = (schema: z.ZodType, io: 'input' | 'output') => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
};

const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});

function parameters({ path, query }: Operation) {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  if (!query) return inPath;
  const { properties = {}, required = [] } = jsonSchema(query, 'input');
  const inQuery = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
  return [...inPath, ...inQuery];
}

function responses({ access, answer, body, limit, maxBodyBytes = 1e6, path, refusals }: Operation) {
  const { schema, status, types = ['application/json'] } = answer;
  const content = schema && {
    content: Object.fromEntries(
      types.map((type) => [
        type,
        { schema: type === 'text/csv' ? { type: 'string' } : jsonSchema(schema, 'output') },
      ]),
    ),
  };
  return {
    [status]: { description: 'Done.', ...content },
    400: problem('Not valid; `field` names what is at fault.'),
    ...(access === 'open' ? {} : { 401: problem('No token, or one that is not valid.') }),
    ...(access === 'open' || access === 'read'
      ? {}
      : { 403: problem('The role may not do this, or a session from another site.') }),
    ...(limit
      ? { 429: problem('Too often within a minute; `Retry-After` says when to come back.') }
      : {}),
    ...(path.includes('{') ? { 404: problem('There is no such thing.') } : {}),
    ...(body
      ? { 413: problem(`Over ${maxBodyBytes / 1e6} MB.`), 415: problem('Not application/json.') }
      : {}),
    ...Object.fromEntries(
      Object.entries(refusals ?? {}).map(([code, when]) => [code, problem(when)]),
    ),
    503: problem('The database or the queue is away. Nothing was changed.'),
  };
}

function describe(id: string, operation: Operation) {
  const { access, body, method, path, summary } = operation;
  const described = {
    operationId: id,
    summary,
    parameters: parameters(operation),
    ...(body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: jsonSchema(body, 'input') } },
          },
        }
      : {}),
    responses: responses(operation),
    security:
      access === 'open'
        ? []
        : [...(access === 'read' ? [{}] : []), { bearer: [] }, { session: [] }],
  };
  return { path, method: method.toLowerCase(), described };
}

/** OpenAPI 3.1 of API v1, from the schemas that check the requests. */
export function openApi(version: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [id, operation] of Object.entries(operations)) {
    const { path, method, described } = describe(id, operation);
    paths[path] = { ...paths[path], [method]: described };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tilemark API', version },
    servers: [{ url: '/api/v1' }],
    paths,
    components: {
      schemas: { Problem: jsonSchema(problemDetailsSchema, 'output') },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'tm_<role>_<random>' },
        session: { type: 'apiKey', in: 'cookie', name: 'tilemark-session' },
      },
    },
  };
}
