import { describe, expect, it } from 'vitest';
import { checkSameOrigin, originOf } from './origin';

const refusal = (status: number) => expect.objectContaining({ status });

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

describe('checkSameOrigin', () => {
  const post = (headers: Record<string, string>) => new Headers({ host: 'grid.test', ...headers });

  it.each([{ 'sec-fetch-site': 'same-origin' }, { origin: 'http://grid.test' }])(
    'takes %o',
    (headers) => {
      expect(() => checkSameOrigin(post(headers))).not.toThrow();
    },
  );

  it.each([
    {},
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'http://evil.test' },
    { origin: 'null' },
  ])('refuses %o', (headers) => {
    expect(() => checkSameOrigin(post(headers))).toThrow(refusal(403));
  });
});
