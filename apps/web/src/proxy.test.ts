import { NextRequest } from 'next/server';
import { expect, it } from 'vitest';
import { GET } from './app/bad-request/route';
import { proxy } from './proxy';

const ask = (path: string) => proxy(new NextRequest(`http://grid.test${path}`));

it('gives every page a policy with a nonce of its own', () => {
  const [first, second] = [ask('/'), ask('/')].map(
    (response) => response.headers.get('content-security-policy') ?? '',
  );
  expect(first).toMatch(/script-src 'self' 'nonce-[^']+' 'strict-dynamic'/);
  expect(first).toContain("frame-ancestors 'none'");
  expect(first).not.toBe(second);
});

it.each(['/sweeps/%00', '/?shape=%00', '/sweeps/%E0%A4%A'])(
  'shows that it cannot read %s',
  (path) => {
    expect(ask(path).headers.get('x-middleware-rewrite')).toBe('http://grid.test/bad-request');
  },
);

it.each(['/api/v1/results/%00', '/api/v1/sweeps?cursor=%00'])(
  'tells a program that it cannot read %s',
  async (path) => {
    const response = ask(path);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect((await response.json()).detail).toMatch(/cannot be read/);
  },
);

it('says so with status 400', () => {
  expect(GET().status).toBe(400);
});
