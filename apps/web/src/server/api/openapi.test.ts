import { expect, it } from 'vitest';
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

it('tells who may use an operation, how often, how long its answer keeps, and what is noted', () => {
  const { paths } = document();
  expect(paths['/sweeps'].post).toMatchObject({
    'x-access': 'submit',
    'x-limit': 'submit',
    'x-caching': 'never',
    'x-audit': 'createSweep',
  });
  expect(paths['/kernels/{id}'].get).toMatchObject({ 'x-access': 'read', 'x-caching': 'release' });
});
