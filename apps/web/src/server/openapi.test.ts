import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openApi } from './openapi';

const ROUTES = fileURLToPath(new URL('../app/api/v1', import.meta.url));

/** `GET /sweeps/{id}` for every method that a route file exports. */
async function routesInFiles(): Promise<string[]> {
  const files = await readdir(ROUTES, { recursive: true });
  const routes = files.filter((file) => file.endsWith('route.ts'));
  const methods = await Promise.all(
    routes.map(async (file) => {
      const source = await readFile(join(ROUTES, file), 'utf8');
      const path = `/${relative('.', join(file, '..'))}`.replaceAll(
        /\[(?:\.\.\.)?(\w+)\]/g,
        '{$1}',
      );
      return [...source.matchAll(/export const (GET|POST|DELETE|PUT|PATCH)\b/g)].map(
        ([, method]) => `${method} ${path}`,
      );
    }),
  );
  return methods.flat().sort();
}

const described = () =>
  Object.entries(openApi('1').paths)
    .flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    )
    .sort();

it('describes every route, and no other', async () => {
  expect(described()).toEqual(await routesInFiles());
});

it('is JSON with an answer for every operation', () => {
  const { openapi, paths } = JSON.parse(JSON.stringify(openApi('1')));
  expect(openapi).toBe('3.1.0');
  const sweeps = paths['/sweeps'].post;
  expect(sweeps.requestBody.content['application/json'].schema.anyOf).toHaveLength(2);
  expect(Object.keys(sweeps.responses)).toEqual(
    expect.arrayContaining(['201', '400', '401', '403', '413', '415']),
  );
  expect(paths['/sweeps/{id}'].get.parameters).toMatchObject([{ name: 'id', in: 'path' }]);
});
