import { randomUUID } from 'node:crypto';
import { deviceKey } from '@tilemark/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  capabilities,
  environment,
  identity,
  measured,
  planned,
  recorded,
  spec,
} from '../../../../packages/core/src/server/store/test-fixtures';
import { operations } from './operations';
import { provideServices } from './services';
import { call, openTestGrid, type TestGrid, type TestRoute } from './test-grid';
import { pathParams, testRoutes } from './test-routes';

/**
 * Who may do what, written down by hand: what a declaration says about itself is
 * not asked. An operation without a row here fails.
 */

type OperationId = keyof typeof operations;
const ROLES = ['anonymous', 'member', 'worker', 'admin'] as const;
type Asker = (typeof ROLES)[number];
/** Status for each asker. Of a public grid; on a private one, readers without a token get 401. */
type Row = Readonly<Record<Asker, number>>;

const everybody = (status: number): Row => ({
  anonymous: status,
  member: status,
  worker: status,
  admin: status,
});
const READ = everybody(200);
const submitters = (status: number): Row => ({
  anonymous: 401,
  member: status,
  worker: 403,
  admin: status,
});
const admins = (status: number): Row => ({
  anonymous: 401,
  member: 403,
  worker: 403,
  admin: status,
});
/** Somebody else's sweep: a member is turned away from it. */
const others = (status: number): Row => ({ ...submitters(status), member: 403 });

const MATRIX: Record<OperationId, Row | { readonly own: Row; readonly others: Row }> = {
  health: READ,
  describe: READ,
  listDevices: READ,
  getDevice: READ,
  listKernels: READ,
  getKernel: READ,
  listSuites: READ,
  listPublished: READ,
  listSweeps: READ,
  getSweep: READ,
  getSweepResults: READ,
  watchSweep: READ,
  getResult: READ,
  getLeaderboard: READ,
  getHeatMap: READ,
  getPortability: READ,
  getBest: READ,
  listWorkers: READ,
  createSweep: submitters(201),
  importResults: submitters(201),
  cancelSweep: { own: submitters(200), others: others(200) },
  retrySweep: { own: submitters(200), others: others(200) },
  enrollWorker: { anonymous: 401, member: 403, worker: 200, admin: 200 },
  revokeWorker: admins(204),
  drainWorker: admins(200),
  pauseWorker: admins(200),
  resumeWorker: admins(200),
  getCoverage: READ,
  refreshCoverage: admins(201),
  listQueues: READ,
  listTokens: admins(200),
  listAudit: admins(200),
  createToken: admins(201),
  revokeToken: admins(204),
};
/** What a private grid tells to everybody all the same. */
const OPEN: readonly OperationId[] = ['health', 'describe'];

let grid: TestGrid;
let routes: Map<string, TestRoute>;
let workerId: string;
const tokens = new Map<Asker, { id: string; secret: string }>();
const key = deviceKey(identity('One'));

beforeAll(async () => {
  grid = await openTestGrid();
  routes = await testRoutes();
  for (const role of ['member', 'worker', 'admin'] as const) {
    tokens.set(role, await grid.store.tokens.create({ name: role, role, expiresAt: null }));
  }
  ({ workerId } = await grid.store.workers.attach({
    name: 'w',
    host: 'h',
    version: '0',
    identity: identity('One'),
    capabilities,
  }));
  // A ranked result, for the board and for `best`.
  await sweepOf(undefined);
});
afterAll(() => grid.close());

/** A sweep of a token's, with one result and one run that waits. */
async function sweepOf(createdById: string | undefined): Promise<{ id: string; resultId: string }> {
  const { runs, sweep } = await grid.store.sweeps.create({
    name: 'seed',
    suite: null,
    spec,
    runs: [planned(key), planned(key)],
    // Names say nothing about who may act: two tokens may share one.
    createdBy: 'member',
    ...(createdById !== undefined && { createdById }),
  });
  await grid.store.runs.record(recorded(runs[0]!.id, workerId, measured(1_000)));
  const [first] = (await grid.store.sweeps.results(sweep.id)).items;
  return { id: sweep.id, resultId: first!.resultId! };
}

const cases = [{ kernel: 'matmul/naive', shapes: [{ m: 8, n: 8, k: 8 }] }];
const bodies: Partial<Record<OperationId, () => unknown>> = {
  createSweep: () => ({ name: 'a', spec: { cases, devices: [key] } }),
  importResults: () => ({
    version: 1,
    environment: environment('One'),
    results: [
      {
        runId: 'a',
        resultId: null,
        variant: { kernel: 'matmul/naive', tunables: {} },
        address: '',
        problem: { op: 'matmul', shape: { m: 8, n: 8, k: 8 }, dtype: 'f32' },
        device: { key, name: 'One', class: 'gpu' },
        profile: 'default',
        policy: 'smoke',
        outcome: { kind: 'skipped', why: String(Math.random()) },
        rate: null,
      },
    ],
  }),
  enrollWorker: () => enrolmentRequest('Enrolled'),
  createToken: () => ({ name: 'a', role: 'admin' }),
  refreshCoverage: () => ({ device: null, suite: null }),
};

const enrolmentRequest = (device: string) => ({
  version: '0.0.0',
  name: 'w',
  host: 'h',
  instance: randomUUID(),
  identity: identity(device),
  capabilities,
  at: new Date().toISOString(),
});

/** The id in the path of an operation: of something that exists, made by `owner`. */
async function idOf(path: string, owner: Asker | null): Promise<string> {
  const createdById = owner ? tokens.get(owner)?.id : undefined;
  switch (path.split('/')[1]) {
    case 'sweeps':
      return (await sweepOf(createdById)).id;
    case 'results':
      return (await sweepOf(createdById)).resultId;
    case 'devices':
      return key;
    case 'kernels':
      return 'matmul/tiled';
    case 'workers': {
      // A token of its own: one whose worker was revoked lets in no other.
      const { id } = await grid.store.tokens.create({ name: 'w', role: 'worker', expiresAt: null });
      const { services } = grid.settings;
      const enrolled = await grid.access.enrol(enrolmentRequest('Revoked'), id, services);
      return enrolled?.workerId ?? '';
    }
    case 'tokens':
      return (await grid.store.tokens.create({ name: 'x', role: 'admin', expiresAt: null })).id;
    default:
      throw new Error(`Say here what stands in ${path}.`);
  }
}

async function ask(id: OperationId, asker: Asker, owner: Asker | null): Promise<number> {
  const { method, path } = operations[id];
  const response = await call(routes.get(`${method} ${path}`)!, {
    method,
    path: id === 'getBest' ? '/best?m=8&n=8&k=8' : '/',
    params: path.includes('{') ? pathParams(path, await idOf(path, owner)) : {},
    token: tokens.get(asker)?.secret,
    body: bodies[id]?.(),
  });
  await response.body?.cancel();
  return response.status;
}

/** Every operation with every asker, as rows of a table. */
const rows = (Object.keys(operations) as OperationId[]).flatMap((id) => {
  const row = MATRIX[id] ?? {};
  const kinds = 'own' in row ? row : { any: row as Row };
  return Object.entries(kinds).flatMap(([whose, statuses]) =>
    ROLES.map((asker) => ({ id, asker, whose, status: statuses[asker] })),
  );
});

it('has a row for every operation, and no other', () => {
  expect(Object.keys(MATRIX).sort()).toEqual(Object.keys(operations).sort());
});

it.each(rows)('$asker: $id ($whose) is $status', async ({ id, asker, whose, status }) => {
  expect(await ask(id, asker, whose === 'own' ? asker : null)).toBe(status);
});

describe('where reading is private', () => {
  const isRead = (id: OperationId) => ROLES.every((asker) => Reflect.get(MATRIX[id], asker) < 300);
  beforeAll(() => {
    provideServices({ ...grid, settings: { ...grid.settings, isPublic: false } });
  });
  afterAll(() => provideServices(grid));

  it.each(rows.filter(({ id }) => isRead(id)))('$asker: $id', async ({ id, asker }) => {
    const isOpen = asker !== 'anonymous' || OPEN.includes(id);
    expect(await ask(id, asker, null)).toBe(isOpen ? 200 : 401);
  });
});

it('a member does not become another by its name, nor by a sweep that nobody made', async () => {
  const twin = await grid.token('member', 'member');
  const cancel = async (owner: Asker | null) => {
    const { id } = await sweepOf(owner ? tokens.get(owner)?.id : undefined);
    const route = routes.get('POST /sweeps/{id}/cancel')!;
    return (await call(route, { method: 'POST', params: { id }, token: twin })).status;
  };
  expect(await cancel('member')).toBe(403);
  expect(await cancel(null)).toBe(403);
});
