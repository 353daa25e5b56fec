import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { PAGES } from './pages';

test('every page says what it costs', () => {
  const app = new URL('../app', import.meta.url).pathname;
  const folders = readdirSync(app, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(^|\/)(page\.tsx|route\.ts)$/.test(file))
    .map((file) => `/${dirname(file)}`.replace('/.', '/'));
  expect(folders.length).toBeGreaterThan(10);
  expect(Object.keys(PAGES).toSorted()).toEqual(folders.toSorted());
});
