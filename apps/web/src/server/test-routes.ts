import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestRoute } from './test-grid';

const ROUTES = fileURLToPath(new URL('../app/api/v1', import.meta.url));

/** The functions of every route file of API v1, by `GET /sweeps/{id}`. */
export async function testRoutes(): Promise<Map<string, TestRoute>> {
  const files = (await readdir(ROUTES, { recursive: true })).filter((file) =>
    file.endsWith('route.ts'),
  );
  const routes = new Map<string, TestRoute>();
  for (const file of files) {
    const path = `/${join(file, '..')}`.replaceAll(/\[(?:\.\.\.)?(\w+)\]/g, '{$1}');
    const module: Record<string, TestRoute> = await import(/* @vite-ignore */ join(ROUTES, file));
    for (const [method, route] of Object.entries(module)) routes.set(`${method} ${path}`, route);
  }
  return routes;
}

/** Path parameters as Next hands them over: kernel ids hold a slash, and come in parts. */
export const pathParams = (path: string, id: string): Record<string, string | string[]> =>
  Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [
      name,
      path.startsWith('/kernels/') ? id.split('/') : id,
    ]),
  );
