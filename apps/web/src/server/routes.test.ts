import { randomUUID } from 'node:crypto';
import { deviceKey } from '@tilemark/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  capabilities,
  identity,
  measured,
  planned,
  recorded,
  spec,
} from '../../../../packages/core/src/server/store/test-fixtures';
import { GET as best } from '../app/api/v1/best/route';
import { GET as device } from '../app/api/v1/devices/[key]/route';
import { GET as devices } from '../app/api/v1/devices/route';
import { GET as health } from '../app/api/v1/health/route';
import { GET as kernel } from '../app/api/v1/kernels/[...id]/route';
import { GET as kernels } from '../app/api/v1/kernels/route';
import { GET as leaderboard } from '../app/api/v1/leaderboard/route';
import { GET as openapi } from '../app/api/v1/openapi.json/route';
import { GET as published } from '../app/api/v1/published/route';
import { GET as result } from '../app/api/v1/results/[id]/route';
import { POST as importResults } from '../app/api/v1/results/import/route';
import { GET as suites } from '../app/api/v1/suites/route';
import { POST as submit } from '../app/api/v1/sweeps/route';
import { DELETE as revoke } from '../app/api/v1/tokens/[id]/route';
import { POST as createToken } from '../app/api/v1/tokens/route';
import { POST as enroll } from '../app/api/v1/workers/enroll/route';
import { GET as workers } from '../app/api/v1/workers/route';
import { GET as logIn } from '../app/login/token/route';
import { operations } from './operations';
import { provideServices } from './services';
import { SESSION_COOKIE } from './session';
import { call, openTestGrid, type TestGrid } from './test-grid';

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
      [operations.health, await call(health)],
      [operations.listDevices, await call(devices)],
      [operations.getDevice, await call(device, { params: { key } })],
      [operations.listKernels, await call(kernels)],
      [
        operations.getKernel,
        await call(kernel, {
          path: '/kernels/matmul/tiled?TILE=8&dtype=i32',
          params: { id: ['matmul', 'tiled'] },
        }),
      ],
      [operations.listSuites, await call(suites)],
      [operations.listPublished, await call(published)],
      [operations.getLeaderboard, await call(leaderboard)],
      [operations.getBest, await call(best, { path: '/best?m=64&n=64&k=64' })],
      [operations.listWorkers, await call(workers)],
      [operations.getResult, await call(result, { params: { id: resultId } })],
      [operations.describe, await call(openapi)],
    ] as const;
    for (const [operation, response] of answers) {
      expect(response.status, operation.path).toBe(200);
      const parsed = operation.answer.schema!.safeParse(await response.json());
      expect(parsed.error?.issues ?? [], operation.path).toEqual([]);
    }
  });

  it('specialises a kernel', async () => {
    const response = await call(kernel, {
      path: '/kernels/matmul/tiled?TILE=8',
      params: { id: ['matmul', 'tiled'] },
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
    const response = await call(kernel, { path, params: { id: ['matmul', 'tiled'] } });
    expect(response.status).toBe(400);
    expect((await response.json()).field).toBe(field);
  });

  it('gives the published table of a suite, and names a suite that there is not', async () => {
    const { items } = await (await call(published, { path: '/published?suite=layouts' })).json();
    expect(items).toMatchObject([{ suite: 'layouts', results: { length: 5 } }]);
    const response = await call(published, { path: '/published?suite=nope' });
    expect(response.status).toBe(400);
    expect((await response.json()).field).toBe('suite');
  });

  it.each([
    ['?m=64', 400, 'n'],
    ['?m=0&n=1&k=1', 400, 'm'],
    ['?op=transpose&rows=64&cols=64', 404, undefined],
  ])('the best of %s is %i', async (query, status, field) => {
    const response = await call(best, { path: `/best${query}` });
    expect(response.status).toBe(status);
    expect((await response.json()).field).toBe(field);
  });

  it.each([
    ['?op=fft', 'op'],
    ['?shape=0', 'shape'],
    ['?profile=turbo', 'profile'],
  ])('the leaderboard refuses %s', async (query, field) => {
    const response = await call(leaderboard, { path: `/leaderboard${query}` });
    expect(response.status).toBe(400);
    expect((await response.json()).field).toBe(field);
  });

  it('is 404 for what there is not', async () => {
    const responses = await Promise.all([
      call(device, { params: { key: 'x' } }),
      call(kernel, { params: { id: ['matmul', 'x'] } }),
      call(result, { params: { id: randomUUID() } }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});

describe('tokens', () => {
  it('are made by admins, shown once, and end when revoked', async () => {
    const create = (token: string, body: unknown) =>
      call(createToken, { method: 'POST', token, body });
    const refused = await create(admin, { name: 'x', role: 'king' });
    expect([refused.status, (await refused.json()).field]).toEqual([400, 'role']);
    const { id, secret } = await (await create(admin, { name: 'lab', role: 'worker' })).json();
    expect(secret).toMatch(/^tm_worker_/);
    expect((await create(secret, { name: 'more', role: 'admin' })).status).toBe(403);

    const end = () => call(revoke, { method: 'DELETE', params: { id }, token: admin });
    expect((await end()).status).toBe(204);
    expect((await end()).status).toBe(404);
    expect((await call(enroll, { method: 'POST', token: secret })).status).toBe(401);
  });

  it('of members do not enroll workers', async () => {
    const token = await grid.token('member');
    expect((await call(enroll, { method: 'POST', token })).status).toBe(403);
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
      call(submit, { method: 'POST', body, headers: { cookie, ...headers } });
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
      expect((await call(submit, { method: 'POST', body, headers })).status).toBe(401);
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

  it('is not opened by a token that is none', async () => {
    const response = await logIn(new Request('http://grid.test/login/token?token=tm_admin_x'));
    expect(response.headers.get('location')).toBe('/login?failed=token');
    expect(response.headers.get('set-cookie')).toBeNull();
  });
});

describe('a private grid', () => {
  it('asks for a token before reading, and still tells its health', async () => {
    provideServices({ ...grid, settings: { ...grid.settings, isPublic: false } });
    try {
      expect((await call(devices)).status).toBe(401);
      expect((await call(health)).status).toBe(200);
      const read = await call(devices, { token: await grid.token('member') });
      expect(read.status).toBe(200);
      expect(read.headers.get('cache-control')).toContain('private');
    } finally {
      provideServices(grid);
    }
  });
});

it('an import keeps what the file holds, and refuses what it does not understand', async () => {
  const { environment, ...row } = (await grid.store.results.get(resultId))!;
  const file = (over: object) => ({ version: 1, environment, results: [{ ...row, ...over }] });
  const post = (body: unknown) => call(importResults, { method: 'POST', token: admin, body });
  const good = await post(file({}));
  expect(good.status).toBe(201);
  expect((await good.json()).counts).toMatchObject({ total: 1, measured: 1 });
  const bad = await post(file({ variant: { kernel: 'matmul/gone', tunables: {} } }));
  expect([bad.status, (await bad.json()).field]).toEqual([400, 'results[0].variant.kernel']);
  const runtimeVersions = { 'no\0de': '20' };
  const unstorable = await post({ ...file({}), environment: { ...environment, runtimeVersions } });
  expect([unstorable.status, (await unstorable.json()).field]).toEqual([400, 'no\uFFFDde']);
});
