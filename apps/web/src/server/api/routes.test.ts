import { randomUUID } from 'node:crypto';
import { deviceKey } from '@tilemark/core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SESSION_COOKIE } from '@/ui/site';
import {
  capabilities,
  identity,
  measured,
  planned,
  recorded,
  spec,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { call, openTestGrid, type TestGrid } from '../grid.test-helper';
import { operations } from '../operations.test-helper';
import { provideServices } from '../services';
import { handle as logIn } from './app';

let grid: TestGrid;
let admin: string;
let resultId: string;
const key = deviceKey(identity('One'));

beforeAll(async () => {
  grid = await openTestGrid();
  admin = await grid.token('admin');
  const { workerId } = await grid.store.workers.attach({
    name: 'w',
    host: 'h',
    version: '0.0.0',
    identity: identity('One'),
    capabilities,
  });
  const { runs, sweep } = await grid.store.sweeps.create({
    name: 'seed',
    suite: null,
    spec,
    runs: [planned(key)],
    createdBy: 'admin',
  });
  await grid.store.runs.claim(runs[0]!.id, workerId);
  await grid.store.runs.record(recorded(runs[0]!.id, workerId, measured(1_000)));
  resultId = (await grid.store.sweeps.results(sweep.id)).items[0]!.resultId!;
});
afterAll(() => grid.close());

describe('reading', () => {
  it('answers as openapi.json says', async () => {
    const answers = [
      [operations.health, await call('GET /health')],
      [operations.listDevices, await call('GET /devices')],
      [operations.getDevice, await call('GET /devices/{key}', { params: { key } })],
      [operations.listKernels, await call('GET /kernels')],
      [
        operations.getKernel,
        await call('GET /kernels/{id}', {
          query: '?TILE=8&dtype=i32',
          params: { id: 'matmul/tiled' },
        }),
      ],
      [operations.listSuites, await call('GET /suites')],
      [operations.listPublished, await call('GET /published')],
      [operations.getLeaderboard, await call('GET /leaderboard')],
      [operations.getBest, await call('GET /best', { query: '?m=64&n=64&k=64' })],
      [operations.listWorkers, await call('GET /workers')],
      [operations.getResult, await call('GET /results/{id}', { params: { id: resultId } })],
      [operations.describe, await call('GET /openapi.json')],
    ] as const;
    for (const [operation, response] of answers) {
      expect(response.status, operation!.path).toBe(200);
      const parsed = operation!.schema!.safeParse(await response.json());
      expect(parsed.error?.issues ?? [], operation!.path).toEqual([]);
    }
  });

  it('specialises a kernel', async () => {
    const response = await call('GET /kernels/{id}', {
      query: '?TILE=8',
      params: { id: 'matmul/tiled' },
    });
    const { address, wgsl } = await response.json();
    expect(address).toContain('TILE=8');
    expect(wgsl).toContain('const TILE: u32 = 8u;');
  });

  it.each([
    ['/?TILE=7', 'tunables.TILE'],
    ['/?dtype=f64', 'dtype'],
    ['/?COLOUR=red', 'tunables.COLOUR'],
    ['/?__proto__=1', '__proto__'],
  ])('a kernel refuses %s', async (path, field) => {
    const response = await call('GET /kernels/{id}', {
      query: path.slice(1),
      params: { id: 'matmul/tiled' },
    });
    expect(response.status).toBe(400);
    expect((await response.json()).field).toBe(field);
  });

  it('gives the published table of a suite, and names a suite that does not exist', async () => {
    const { items } = await (await call('GET /published', { query: '?suite=layouts' })).json();
    expect(items).toMatchObject([{ suite: 'layouts', results: { length: 5 } }]);
    const response = await call('GET /published', { query: '?suite=nope' });
    expect(response.status).toBe(400);
    expect((await response.json()).field).toBe('suite');
  });

  it.each([
    ['?m=64', 400, 'n'],
    ['?m=0&n=1&k=1', 400, 'm'],
    ['?b=0&m=1&n=1&k=1', 400, 'b'],
    ['?op=transpose&rows=64&cols=64&b=2', 400, 'b'],
    ['?op=transpose&rows=64&cols=64', 200, undefined],
  ])('the best of %s is %i', async (query, status, field) => {
    const response = await call('GET /best', { query });
    expect(response.status).toBe(status);
    expect((await response.json()).field).toBe(field);
  });

  it.each(['GET /sweeps', 'GET /devices', 'GET /tokens'] as const)(
    '%s refuses a cursor that is not one of its list',
    async (endpoint) => {
      const response = await call(endpoint, { query: '?cursor=xx', token: admin });
      expect(response.status).toBe(400);
      expect((await response.json()).field).toBe('cursor');
    },
  );

  it.each([
    ['?op=fft', 'op'],
    ['?shape=0', 'shape'],
    ['?profile=turbo', 'profile'],
  ])('the leaderboard refuses %s', async (query, field) => {
    const response = await call('GET /leaderboard', { query });
    expect(response.status).toBe(400);
    expect((await response.json()).field).toBe(field);
  });

  it('is 404 for what does not exist', async () => {
    const responses = await Promise.all([
      call('GET /devices/{key}', { params: { key: 'x' } }),
      call('GET /kernels/{id}', { params: { id: 'matmul/x' } }),
      call('GET /results/{id}', { params: { id: randomUUID() } }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});

describe('tokens', () => {
  it('are made by admins, shown once, and end when revoked', async () => {
    const create = (token: string, body: unknown) => call('POST /tokens', { token, body });
    const refused = await create(admin, { name: 'x', role: 'king' });
    expect([refused.status, (await refused.json()).field]).toEqual([400, 'role']);
    const never = await create(admin, { name: 'x', role: 'worker', expiresAt: null });
    expect((await never.json()).detail).toMatch(/leave it out for a token that does not expire/);
    const { id, secret } = await (await create(admin, { name: 'lab', role: 'worker' })).json();
    expect(secret).toMatch(/^tm_worker_/);
    expect((await create(secret, { name: 'more', role: 'admin' })).status).toBe(403);

    const end = () => call('DELETE /tokens/{id}', { params: { id }, token: admin });
    expect((await end()).status).toBe(204);
    expect((await end()).status).toBe(404);
    expect((await call('POST /workers', { token: secret })).status).toBe(401);

    const last = await grid.store.tokens.lastAdmin();
    const lost = await call('DELETE /tokens/{id}', { params: { id: last ?? '' }, token: admin });
    expect([lost.status, (await lost.json()).detail]).toEqual([
      409,
      'This is the only admin token: create another one first.',
    ]);
  });

  it('of members do not attach workers', async () => {
    const token = await grid.token('member');
    expect((await call('POST /workers', { token })).status).toBe(403);
  });
});

describe('a session', () => {
  const cookieOf = async (secret: string) => {
    const request = new Request(`http://grid.test/login/token?token=${secret}`);
    return (await logIn(request)).headers.get('set-cookie') ?? '';
  };
  const body = {
    name: 'a',
    spec: { cases: [{ kernel: 'matmul/naive', shapes: [{ m: 8, n: 8, k: 8 }] }] },
  };

  it('is opened by a token, and writes from this site only', async () => {
    const setCookie = await cookieOf(await grid.token('member', 'Ada'));
    expect(setCookie).toContain('HttpOnly; SameSite=Lax');
    const cookie = setCookie.split(';')[0] ?? '';
    const post = (headers: Record<string, string>) =>
      call('POST /sweeps', { body, headers: { cookie, ...headers } });
    expect((await post({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await post({})).status).toBe(403);
    const response = await post({ 'sec-fetch-site': 'same-origin' });
    expect(response.status).toBe(201);
    const { id } = await response.json();
    expect((await grid.store.sweeps.get(id))?.createdBy).toBe('Ada');
  });

  it('ends with its token, and cannot be made up', async () => {
    const { id, secret } = await grid.store.tokens.create({
      name: 'x',
      role: 'member',
      expiresAt: null,
    });
    const cookie = (await cookieOf(secret)).split(';')[0] ?? '';
    await grid.store.tokens.revoke(id);
    for (const given of [cookie, `${SESSION_COOKIE}=Fe26.2*made*up`]) {
      const headers = { cookie: given, 'sec-fetch-site': 'same-origin' };
      expect((await call('POST /sweeps', { body, headers })).status).toBe(401);
    }
  });

  it('is opened by a login link, and not a second time', async () => {
    const { id } = await grid.store.tokens.create({ name: 'y', role: 'member', expiresAt: null });
    const code = await grid.store.tokens.loginCode(id);
    const follow = () => logIn(new Request(`http://grid.test/login/token?code=${code}`));
    expect((await follow()).headers.get('set-cookie')).toContain('HttpOnly');
    const again = await follow();
    expect(again.headers.get('location')).toBe('/login?failed=code');
    expect(again.headers.get('set-cookie')).toBeNull();
  });

  it('is not opened by an invalid token', async () => {
    const response = await logIn(new Request('http://grid.test/login/token?token=tm_admin_x'));
    expect(response.headers.get('location')).toBe('/login?failed=token');
    expect(response.headers.get('set-cookie')).toBeNull();
  });
});

it('health that many ask for at once is looked up once', async () => {
  grid.recent.forget();
  const ping = vi.spyOn(grid.store, 'ping');
  const answers = await Promise.all(Array.from({ length: 5 }, () => call('GET /health')));
  answers.push(await call('GET /health'));
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
  expect(ping).toHaveBeenCalledOnce();
  ping.mockRestore();
});

describe('a private grid', () => {
  it('asks for a token before reading, and still tells its health', async () => {
    provideServices({ ...grid, settings: { ...grid.settings, isPublic: false } });
    try {
      expect((await call('GET /devices')).status).toBe(401);
      expect((await call('GET /health')).status).toBe(200);
      const read = await call('GET /devices', { token: await grid.token('member') });
      expect(read.status).toBe(200);
      expect(read.headers.get('cache-control')).toContain('private');
    } finally {
      provideServices(grid);
    }
  });
});

it('an import keeps what the file contains, and refuses what it does not understand', async () => {
  const { environment, ...row } = (await grid.store.results.get(resultId))!;
  const file = (over: object) => ({ version: 1, environment, results: [{ ...row, ...over }] });
  const post = (body: unknown) => call('POST /results/import', { token: admin, body });
  const good = await post(file({}));
  expect(good.status).toBe(201);
  expect((await good.json()).counts).toMatchObject({ total: 1, measured: 1 });
  const bad = await post(file({ variant: { kernel: 'matmul/gone', tunables: {} } }));
  expect([bad.status, (await bad.json()).field]).toEqual([400, 'results[0].variant.kernel']);
  const runtimeVersions = { 'no\0de': '20' };
  const unstorable = await post({ ...file({}), environment: { ...environment, runtimeVersions } });
  expect([unstorable.status, (await unstorable.json()).field]).toEqual([400, 'no\uFFFDde']);
});
