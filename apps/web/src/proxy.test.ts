import { NextRequest } from 'next/server';
import { expect, it } from 'vitest';
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

it.each(['/sweeps/%00', '/?shape=%00', '/sweeps/%E0%A4%A'])('has no page for %s', (path) => {
  expect(ask(path).headers.get('x-middleware-rewrite')).toBe('http://grid.test/unreadable');
});
