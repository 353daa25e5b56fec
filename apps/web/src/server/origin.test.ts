import { expect, it } from 'vitest';
import { originOf } from './origin';

it.each([
  [{ host: 'grid.test:3000' }, 'http://grid.test:3000'],
  [
    { host: '127.0.0.1:3000', 'x-forwarded-host': 'grid.example', 'x-forwarded-proto': 'https' },
    'https://grid.example',
  ],
  [
    { 'x-forwarded-host': 'grid.example, inner:80', 'x-forwarded-proto': 'https, http' },
    'https://grid.example',
  ],
  [
    { 'x-forwarded-host': 'grid.example:8443', 'x-forwarded-proto': 'https' },
    'https://grid.example:8443',
  ],
  [{ host: 'not a host' }, 'http://localhost'],
  [{}, 'http://localhost'],
])('%j is reached at %s', (headers, origin) => {
  expect(originOf(new Headers(headers))).toBe(origin);
});
