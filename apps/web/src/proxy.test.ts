import { NextRequest } from 'next/server';
import { expect, it } from 'vitest';
import { proxy } from './proxy';
import { REFUSAL_HEADER, readRefusal, refusalText } from './server/pages/refusal';

const ask = (path: string) => proxy(new NextRequest(`http://grid.test${path}`));

it('gives every page a policy with a nonce of its own', () => {
  const [first, second] = [ask('/'), ask('/')].map(
    (response) => response.headers.get('content-security-policy') ?? '',
  );
  expect(first).toMatch(/script-src 'self' 'nonce-[^']+' 'strict-dynamic'/);
  expect(first).toContain("frame-ancestors 'none'");
  expect(first).not.toBe(second);
});

/** What the page of refusals is told. */
const refusalOf = (response: Response) => {
  expect(response.headers.get('x-middleware-rewrite')).toBe('http://grid.test/refused');
  return readRefusal(response.headers.get(`x-middleware-request-${REFUSAL_HEADER}`));
};

it.each(['/sweeps/%00', '/?shape=%00', '/sweeps/%E0%A4%A'])(
  'shows that it cannot read %s',
  (path) => {
    const response = ask(path);
    expect(response.status).toBe(400);
    expect(refusalOf(response)).toEqual({
      reasons: ['It contains invalid characters.'],
      path: null,
    });
  },
);

it.each([
  ['/?op=conv', 'op cannot be “conv”'],
  ['/?shape=12x', "shape: '12x' is not a shape of matmul"],
  ['/?op=transpose&shape=1x2x3', 'is not a shape of transpose'],
  ['/?shape=16777217', 'from 1 to 16777216'],
  ['/?view=pie', 'view cannot be “pie”'],
  ['/?groups=gpu,toaster', 'groups cannot be “gpu,toaster”'],
  ['/?groups=gpu&groups=toaster', 'groups cannot be “gpu,toaster”'],
  ['/best?m=0&n=4&k=4', "m: '0' is not a size"],
  ['/best?op=transpose&m=4', 'm cannot be “4”'],
  ['/best?m=4', 'n is missing'],
  ['/kernels/matmul/tiled?TILE=7', 'TILE cannot be “7”'],
  [`/?op=matmul&junk=${'x'.repeat(10_000)}`, 'no page accepts that many'],
  [`/sweeps?${'a'.repeat(10_000)}`, 'no page accepts that many'],
])('answers 400 to %s and says why', (path, reason) => {
  const response = ask(path);
  expect(response.status).toBe(400);
  expect(refusalOf(response)?.reasons.join()).toContain(reason);
  expect(refusalOf(response)?.path).toBe(path.split('?')[0]);
});

it('takes no refusal from a reader', () => {
  const headers = { [REFUSAL_HEADER]: refusalText({ reasons: ['Give up.'], path: null }) };
  const response = proxy(new NextRequest('http://grid.test/refused', { headers }));
  expect(response.headers.get('x-middleware-override-headers')).not.toContain(REFUSAL_HEADER);
});

it.each([
  '/',
  '/?op=transpose&shape=3072x4096&groups=gpu&groups=published&view=heatmap',
  '/?utm_source=elsewhere',
  '/best?m=1000&n=1000&k=1000&vendor=nvidia',
  '/best',
  '/kernels/matmul/tiled?TILE=16&dtype=f32',
  '/kernels/none?TILE=7',
])('lets %s through', (path) => {
  expect(ask(path).status).toBe(200);
});
