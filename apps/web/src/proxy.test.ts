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

it.each(['/sweeps/%00', '/?shape=%00', '/sweeps/%E0%A4%A'])(
  'shows that it cannot read %s',
  async (path) => {
    const response = ask(path);
    expect(response.status).toBe(400);
    const text = await response.text();
    expect(text).toContain('invalid characters');
    expect(text).toContain('<a href="/sweeps">Sweeps</a>');
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

it.each([
  ['/?op=conv', 'op cannot be “conv”'],
  ['/?shape=12x', 'shape cannot be “12x”'],
  ['/?op=transpose&shape=1x2x3', 'is not a shape of transpose'],
  ['/?shape=65537', 'from 1 to 65536'],
  ['/?view=pie', 'view cannot be “pie”'],
  ['/?groups=gpu,toaster', 'groups cannot be “gpu,toaster”'],
  ['/?groups=gpu&groups=toaster', 'groups cannot be “gpu,toaster”'],
  ['/best?m=0&n=4&k=4', 'm cannot be “0”'],
  ['/best?op=transpose&m=4', 'm cannot be “4”'],
  ['/best?m=4', 'n is missing'],
  ['/kernels/matmul/tiled?TILE=7', 'TILE cannot be “7”'],
  [`/?op=matmul&junk=${'x'.repeat(10_000)}`, 'no page accepts that many'],
  [`/sweeps?${'a'.repeat(10_000)}`, 'no page accepts that many'],
])('answers 400 to %s and says why', async (path, reason) => {
  const response = ask(path);
  expect(response.status).toBe(400);
  expect(await response.text()).toContain(reason);
});

it('shows the refusal in the reader’s theme, with the page itself as a way out', async () => {
  const headers = { cookie: 'tilemark-theme=dark' };
  const request = new NextRequest('http://grid.test/best?m=4', { headers });
  const text = await proxy(request).text();
  expect(text).toContain('<html lang="en" data-theme="dark">');
  expect(text).toContain('<a href="/best">This page without the rest</a>');
  expect(await ask('/?op=conv').text()).not.toContain('data-theme="dark"');
});

it('offers to log in or, with a session, to log out', async () => {
  expect(await ask('/?op=conv').text()).toContain('<a href="/login">Log in</a>');
  const headers = { cookie: 'tilemark-session=sealed' };
  const request = new NextRequest('http://grid.test/?op=conv', { headers });
  const text = await proxy(request).text();
  expect(text).toContain('>Log out</button>');
  expect(text).not.toContain('Log in');
});

it('has the fonts of the other pages, by the names that the build gave them', async () => {
  globalThis.tilemarkFonts = ['static/media/GeistMono.1.woff2', 'static/media/Geist.2.woff2'];
  const response = ask('/?op=conv');
  globalThis.tilemarkFonts = undefined;
  expect(response.headers.get('content-security-policy')).toContain("font-src 'self'");
  const text = await response.text();
  expect(text).toMatch(/family: Geist Mono; .*"\/_next\/static\/media\/GeistMono\.1\.woff2"/);
  expect(text).toMatch(/family: Geist; .*"\/_next\/static\/media\/Geist\.2\.woff2"/);
});

it('shows markup of an address as text', async () => {
  const page = await ask('/?op=%3Cscript%3Ealert(1)%3C/script%3E').text();
  expect(page).toContain('&lt;script&gt;');
  expect(page).not.toContain('<script>');
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
