import { group } from 'd3-array';
import { expect, it } from 'vitest';
import type { Access } from '../session/access';
import { v1 } from './app';
import { openApi } from './document';

/** `GET /sweeps/{id}` for every route that the app takes requests on. */
const routed = () =>
  [
    ...new Set(
      v1.routes.map(
        ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)(\{.+?\})?/g, '{$1}')}`,
      ),
    ),
  ].sort();

const document = () => JSON.parse(JSON.stringify(openApi(v1, '1')));
const described = () =>
  Object.entries<object>(document().paths)
    .flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    )
    .sort();

it('describes every route, and no other', () => {
  expect(described()).toEqual(routed());
  expect(described().length).toBeGreaterThan(30);
});

it('is JSON with an answer for every operation', () => {
  const { openapi, paths } = document();
  expect(openapi).toBe('3.1.0');
  const sweeps = paths['/sweeps'].post;
  expect(sweeps.requestBody.content['application/json'].schema.anyOf).toHaveLength(2);
  expect(Object.keys(sweeps.responses)).toEqual(
    expect.arrayContaining(['201', '400', '401', '403', '413', '415']),
  );
  expect(paths['/sweeps/{id}'].get.parameters).toMatchObject([{ name: 'id', in: 'path' }]);
});

it('tells who may use an operation, how often and how long its answer keeps', () => {
  const { paths } = document();
  expect(paths['/sweeps'].post).toMatchObject({
    'x-access': 'submit',
    'x-limit': 'submit',
    'x-caching': 'never',
  });
  expect(paths['/kernels/{id}'].get).toMatchObject({ 'x-access': 'read', 'x-caching': 'release' });
});

/** The parts of an operation that docs/api.md shows. */
interface Described {
  readonly summary: string;
  readonly 'x-access': Access;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

const ACCESS: Readonly<Record<Access, string>> = {
  open: 'everyone',
  read: 'everyone; on a private grid, any token',
  publish: 'member, admin, or the token of an invite',
  submit: 'member or admin',
  work: 'worker or admin',
  admin: 'admin',
};

const INTRODUCTION = `# The API

JSON over HTTP below \`/api/v1\`; \`/api/v1/openapi.json\` describes every body, and this page is made from it. Writing takes a token, made at \`/operate/tokens\` and sent as \`Authorization: Bearer\`. Errors are \`application/problem+json\` with the field at fault. Lists are \`{ items }\`; those that take \`cursor\` come in pages, of which \`nextCursor\` names the next.

\`\`\`sh
curl -fsS 'http://localhost:3000/api/v1/best?op=matmul&m=1024&n=1024&k=1024&vendor=nvidia'
\`\`\`
`;

/** Operations by the first part of their path, in the order they are declared. */
function reference(): string {
  const { paths } = document() as { paths: Record<string, Record<string, Described>> };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  const sections = [...group(operations, ({ path }) => path.split('/')[1] ?? '')].map(
    ([noun, members]) => {
      const title = noun === 'openapi.json' ? 'OpenAPI document' : noun;
      const rows = members.map(({ method, parameters = [], path, summary, ...operation }) => {
        const query = parameters.flatMap((each) => (each.in === 'query' ? each.name : []));
        const answers = summary.replaceAll('/docs/bring', 'bring.md');
        const request = `\`${method.toUpperCase()} ${path}\``;
        return `| ${request} | ${query.join(', ')} | ${answers} | ${ACCESS[operation['x-access']]} |`;
      });
      return `
## ${title.charAt(0).toUpperCase()}${title.slice(1)}

| request | query | what it does | for |
|---|---|---|---|
${rows.join('\n')}
`;
    },
  );
  return `${INTRODUCTION}${sections.join('')}`;
}

it('is what docs/api.md says', async () => {
  await expect(reference()).toMatchFileSnapshot('../../../../../docs/api.md');
});
