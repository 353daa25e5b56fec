import { randomUUID } from 'node:crypto';
import {
  type Enrolment,
  type EnrolmentRequest,
  enrolmentSchema,
  type Worker,
} from '@tilemark/core';
import { openStore } from '@tilemark/core/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capabilities, identity } from '../../../../packages/core/src/server/store/test-fixtures';
import { DELETE as revokeToken } from '../app/api/v1/tokens/[id]/route';
import { DELETE as revokeWorker } from '../app/api/v1/workers/[id]/route';
import { POST as enroll } from '../app/api/v1/workers/enroll/route';
import { GET as listWorkers } from '../app/api/v1/workers/route';
import { workerAddresses } from './enrolment';
import { call, openTestGrid, type TestGrid } from './test-grid';

let grid: TestGrid;
let worker: string;
let admin: string;
beforeAll(async () => {
  grid = await openTestGrid();
  worker = await grid.token('worker');
  admin = await grid.token('admin');
});
afterAll(() => grid.close());

const body = (over: Partial<EnrolmentRequest> = {}): EnrolmentRequest => ({
  version: '0.0.0',
  name: 'w',
  host: 'h',
  instance: randomUUID(),
  identity: identity('One'),
  capabilities,
  at: new Date().toISOString(),
  ...over,
});

const ask = (over: Partial<EnrolmentRequest> = {}, token: string | undefined = worker) =>
  call(enroll, { ...{ method: 'POST', token, body: body(over) }, headers: { host: 'localhost' } });

const detail = async (response: Response) => ((await response.json()) as { detail: string }).detail;

const opens = async ({ databaseUrl }: Enrolment): Promise<boolean> => {
  const store = openStore(databaseUrl);
  try {
    await store.ping();
    return true;
  } catch {
    return false;
  } finally {
    await store.close();
  }
};

it('tells a worker what to connect to, and it is on the fleet page', async () => {
  const response = await ask();
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-store');
  const enrolled = enrolmentSchema.parse(await response.json());
  expect(await opens(enrolled)).toBe(true);
  const listed = await grid.store.workers.list();
  expect(listed.map(({ id }) => id)).toContain(enrolled.workerId);
  // A device never seen before has its work.
  expect(await grid.queued(enrolled.deviceKey)).toBeGreaterThan(0);
  const own = new URL(grid.settings.services.databaseUrl);
  expect(JSON.stringify(enrolled)).not.toContain(own.password);
});

it('is listed with the name of its token for admins alone', async () => {
  const secret = await grid.token('worker', 'a machine of the lab');
  const { workerId } = enrolmentSchema.parse(await (await ask({}, secret)).json());
  const tokenFor = async (token?: string) => {
    const response = await call(listWorkers, token === undefined ? {} : { token });
    const { items } = (await response.json()) as { items: Worker[] };
    return items.find(({ id }) => id === workerId)?.token;
  };
  expect(await tokenFor(admin)).toBe('a machine of the lab');
  for (const token of [undefined, secret, await grid.token('member')]) {
    expect(await tokenFor(token)).toBeNull();
  }
});

it('enrolled again, as in a replay, is the same worker, and the passwords before end', async () => {
  const instance = randomUUID();
  const first = enrolmentSchema.parse(await (await ask({ instance })).json());
  const second = enrolmentSchema.parse(await (await ask({ instance })).json());
  expect(second.workerId).toBe(first.workerId);
  expect(await opens(first)).toBe(false);
  expect(await opens(second)).toBe(true);
  const rows = (await grid.store.workers.list()).filter(({ id }) => id === first.workerId);
  expect(rows).toHaveLength(1);
});

describe('a token', () => {
  it('that is expired, revoked, unknown or malformed is refused', async () => {
    const { store } = grid;
    const expired = { name: 'e', role: 'worker', expiresAt: new Date(Date.now() - 1) } as const;
    const revoked = await store.tokens.create({ name: 'r', role: 'worker', expiresAt: null });
    await store.tokens.revoke(revoked.id);
    for (const secret of [
      (await store.tokens.create(expired)).secret,
      revoked.secret,
      `tm_worker_${'x'.repeat(43)}`,
      'tm_worker_',
      'nonsense',
    ]) {
      const response = await ask({}, secret);
      expect(response.status).toBe(401);
      expect(await detail(response)).toBe('The token is unknown, expired or revoked.');
    }
    expect((await call(enroll, { method: 'POST', body: body() })).status).toBe(401);
  });

  it('of another role is refused', async () => {
    const response = await ask({}, await grid.token('member'));
    expect(response.status).toBe(403);
    expect(await detail(response)).toBe(
      'A member token may not do this; it takes worker or admin.',
    );
  });

  it('that is revoked takes the workers along that enrolled with it', async () => {
    const { id, secret } = await grid.store.tokens.create({
      ...{ name: 'r', role: 'worker', expiresAt: null },
    });
    const enrolled = enrolmentSchema.parse(await (await ask({}, secret)).json());
    expect(await opens(enrolled)).toBe(true);
    await call(revokeToken, { method: 'DELETE', params: { id }, token: admin });
    expect(await opens(enrolled)).toBe(false);
  });
});

it('a revoked worker is cut off and told so when it comes back', async () => {
  const instance = randomUUID();
  const token = await grid.token('worker');
  const enrolled = enrolmentSchema.parse(await (await ask({ instance }, token)).json());
  const revoke = () =>
    call(revokeWorker, { method: 'DELETE', params: { id: enrolled.workerId }, token: admin });
  expect((await revoke()).status).toBe(204);
  expect(await opens(enrolled)).toBe(false);
  expect((await ask({}, token)).status).toBe(403);
  const again = await ask({ instance }, token);
  expect(again.status).toBe(403);
  expect(await detail(again)).toMatch(/^This worker was revoked, .* new token/);
  expect((await revoke()).status).toBe(404);
  // A session's milliseconds may be those of the revocation.
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect((await ask({ instance }, await grid.token('worker'))).status).toBe(200);
});

it("a worker of the grid's own cannot be revoked", async () => {
  const { workerId } = await grid.store.workers.attach({
    ...{ name: 'w', host: 'h', version: '0', identity: identity('Own'), capabilities },
  });
  const response = await call(revokeWorker, {
    ...{ method: 'DELETE', params: { id: workerId }, token: admin },
  });
  expect(response.status).toBe(409);
  expect(await detail(response)).toMatch(/stop it there/);
});

it.each(['0.0.1', '9.9.9'])(
  'a worker of version %s is told how to get the right one',
  async (version) => {
    const before = (await grid.store.workers.list()).length;
    const response = await ask({ version });
    expect(response.status).toBe(409);
    const problem = (await response.json()) as { detail: string; field: string };
    expect(problem.field).toBe('version');
    expect(problem.detail).toContain(`version ${version} and the grid is 0.0.0`);
    expect(problem.detail).toContain('npx -y "http://localhost/worker.tgz?0.0.0" --server');
    expect(await grid.store.workers.list()).toHaveLength(before);
  },
);

it.each([-1, 1])('a clock that is off by %i h is told, and lets the worker in', async (hours) => {
  const response = await ask({ at: new Date(Date.now() + hours * 3_600_000).toISOString() });
  const { clockAheadMs } = enrolmentSchema.parse(await response.json());
  expect(Math.round(clockAheadMs / 3_600_000)).toBe(hours);
});

it.each([
  [{ instance: 'x' }, 'instance'],
  [{ identity: { ...identity('One'), device: '' } }, 'identity.device'],
  [{ capabilities: { ...capabilities, maxBufferSize: -1 } }, 'capabilities.maxBufferSize'],
])('a request with %o names %s', async (over, field) => {
  const response = await ask(over);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ field });
});

describe('services are told', () => {
  const settings = {
    version: '0',
    isPublic: true,
    limits: { logIn: 0, enroll: 0, submit: 0 },
    isBehindProxy: false,
    sessionSecret: 'x',
    services: {
      databaseUrl: 'postgres://u:p@127.0.0.1:5000/t',
      redisUrl: 'redis://:p@127.0.0.1:6000',
    },
    workerDatabaseUrl: null,
    workerRedisUrl: null,
  };
  const told = (hostname: string, over = {}) => workerAddresses({ ...settings, ...over }, hostname);

  it('at the address of the site, where they are on its machine', () => {
    expect(told('10.0.0.1')).toMatchObject({ databaseUrl: 'postgres://u:p@10.0.0.1:5000/t' });
    expect(told('grid.example').redisUrl).toBe('redis://:p@grid.example:6000');
    expect(told('localhost')).toEqual(settings.services);
  });

  it('where they are, elsewhere, and where the operator said', () => {
    const services = { databaseUrl: 'postgres://db.example/t?sslmode=require', redisUrl: null };
    expect(told('10.0.0.1', { services })).toEqual(services);
    const workerDatabaseUrl = 'postgres://outside.example:5432/t?sslmode=require';
    expect(told('10.0.0.1', { workerDatabaseUrl }).databaseUrl).toBe(workerDatabaseUrl);
    expect(told('10.0.0.1', { workerRedisUrl: 'rediss://o:1' }).redisUrl).toBe('rediss://o:1');
  });
});
