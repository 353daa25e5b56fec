import { randomUUID } from 'node:crypto';
import { deviceKey } from '@tilemark/core';
import { kernelTemplate } from '@tilemark/core/contributed';
import type { Principal } from '@tilemark/core/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  capabilities,
  environment,
  failed,
  identity,
  measured,
  planned,
  recorded,
  spec,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { call, openTestGrid, type TestGrid } from '../grid.test-helper';
import { operations } from '../operations.test-helper';
import { provideServices } from '../services';

/**
 * Who may do what, written down by hand: what a declaration says about itself is
 * not asked. An operation without a row here fails.
 */

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
const workers = (status: number): Row => ({
  anonymous: 401,
  member: 403,
  worker: status,
  admin: status,
});
/** Somebody else's sweep: a member is turned away from it. */
const others = (status: number): Row => ({ ...submitters(status), member: 403 });

const MATRIX = {
  health: READ,
  describe: READ,
  listChanges: READ,
  listDevices: READ,
  getDevice: READ,
  labelDevice: admins(204),
  listKernels: READ,
  getKernel: READ,
  listContributed: READ,
  contributeKernel: submitters(201),
  // Its check has not run.
  publishKernel: { own: submitters(400), others: others(400) },
  removeKernel: { own: submitters(204), others: others(204) },
  listSuites: READ,
  listPublished: READ,
  listSweeps: READ,
  getSweep: READ,
  getSweepResults: READ,
  watchSweep: READ,
  getResult: READ,
  getLeaderboard: READ,
  getPortability: READ,
  getBest: READ,
  getBestTable: READ,
  listWorkers: READ,
  createSweep: submitters(201),
  createTuning: submitters(201),
  // Invites publish, too (invites.test.ts).
  importResults: submitters(201),
  confirmResult: admins(200),
  cancelSweep: { own: submitters(200), others: others(200) },
  retrySweep: { own: submitters(200), others: others(200) },
  enrollWorker: workers(200),
  // A worker is that of the token that attached it: an admin is nobody there, either.
  takeNextRun: { own: workers(200), others: workers(403) },
  beat: { own: workers(200), others: workers(403) },
  releaseRun: { own: workers(204), others: workers(403) },
  endRun: { own: workers(200), others: workers(403) },
  // There is no such search: the worker may ask.
  decideSearch: { own: workers(409), others: workers(403) },
  recordRoofline: { own: workers(204), others: workers(403) },
  detachWorker: { own: workers(204), others: workers(403) },
  revokeWorker: admins(204),
  drainWorker: admins(200),
  pauseWorker: admins(200),
  resumeWorker: admins(200),
  listQueues: READ,
  listTokens: admins(200),
  createToken: admins(201),
  trustToken: admins(204),
  revokeToken: admins(204),
  listInvites: submitters(200),
  createInvite: submitters(201),
  redeemInvite: READ,
  getClass: { own: submitters(200), others: { ...submitters(200), member: 404 } },
  // Nobody is called so; students hand in (invites.test.ts).
  removeStudent: submitters(404),
  handIn: { ...workers(403), admin: 403 },
  revokeInvite: { own: submitters(204), others: { ...submitters(204), member: 404 } },
} satisfies Record<string, Row | { readonly own: Row; readonly others: Row }>;
type OperationId = keyof typeof MATRIX;
/** What a private grid tells to everybody all the same. */
const OPEN: readonly OperationId[] = ['health', 'describe', 'redeemInvite'];

let grid: TestGrid;
let workerId: string;
let invite: string;
const tokens = new Map<Asker, { id: string; secret: string }>();
const key = deviceKey(identity('One'));

beforeAll(async () => {
  grid = await openTestGrid();
  for (const role of ['member', 'worker', 'admin'] as const) {
    tokens.set(
      role,
      await grid.store.tokens.create({ name: role, role, expiresAt: null, trusted: true }),
    );
  }
  ({ workerId } = await grid.store.workers.attach({
    name: 'w',
    host: 'h',
    version: '0',
    identity: identity('One'),
    capabilities,
  }));
  const { id: tokenId } = tokens.get('member')!;
  ({ secret: invite } = await inviteOf({ tokenId, name: 'member', role: 'member' }));
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
  createTuning: () => tuningOf(key),
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
  enrollWorker: () => attachRequest('Attached'),
  beat: () => ({ state: 'idle', runs: [] }),
  endRun: () => {
    const { environment: seen, outcome, endedAt } = recorded('', '', failed, 'Linked');
    return { environment: seen, wgsl: null, outcome, endedAt };
  },
  decideSearch: () => ({ winner: null, stop: 'exhausted', shapes: null }),
  recordRoofline: () => ({
    profile: 'default',
    // The field of workers of 0.1.0, which nobody reads.
    survey: { copies: [], lastLevelCacheBytes: null, peaks: [] },
  }),
  labelDevice: () => ({ label: 'laptop' }),
  createToken: () => ({ name: 'a', role: 'admin' }),
  trustToken: () => ({ trusted: true }),
  createInvite: () => ({ name: 'class', seats: 30, hours: 2 }),
  redeemInvite: () => ({ invite }),
  contributeKernel: () => newKernel(),
  handIn: () => ({ ...(bodies.importResults?.() as object), kernel: newKernel() }),
};

const tuningOf = (device: string) => ({
  device,
  problem: { op: 'matmul', shape: { m: 8, n: 8, k: 8 }, dtype: 'f32' },
});

const attachRequest = (device: string) => ({
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
      return (await contributed(owner, createdById)).id;
    case 'workers': {
      // A token of its own: one whose worker was revoked lets in no other.
      const ownToken = owner && createdById;
      const tokenId =
        ownToken ||
        (await grid.store.tokens.create({ name: 'w', role: 'worker', expiresAt: null })).id;
      const { at: _, ...worker } = attachRequest('Linked');
      return (await grid.store.workers.attach({ ...worker, tokenId })).workerId;
    }
    case 'invites': {
      const { id } = createdById ? tokens.get(owner!)! : tokens.get('admin')!;
      return (await inviteOf({ tokenId: id, name: 'x', role: 'member' })).id;
    }
    case 'tokens':
      return (await grid.store.tokens.create({ name: 'x', role: 'admin', expiresAt: null })).id;
    default:
      throw new Error(`Say here what stands in ${path}.`);
  }
}

/** A version of a kernel, which no other has: one that was removed does not come back. */
const newKernel = () => ({ source: kernelTemplate(`k-${randomUUID().slice(0, 8)}`) });
const contributed = (owner: Asker | null, tokenId: string = randomUUID()) =>
  grid.store.contributed.add(newKernel(), { tokenId, name: `${owner}-${tokenId}`, role: 'member' });

const inviteOf = (by: Principal) =>
  grid.store.invites.create({
    name: 'class',
    seats: 500,
    expiresAt: new Date(Date.now() + 3_600_000),
    by,
  });

/** A run of a worker's device, in its hand where its path names it, else in the queue. */
async function runOf(holder: string, path: string): Promise<string> {
  const device = deviceKey(identity('Linked'));
  const { runs } = await grid.store.sweeps.create({
    name: 'run',
    suite: null,
    spec,
    createdBy: 'x',
    runs: [planned(device)],
  });
  if (path.includes('{run}')) await grid.store.runs.claim(runs[0]!.id, holder);
  else await grid.queue.enqueue(runs);
  return runs[0]!.id;
}

async function ask(id: OperationId, asker: Asker, owner: Asker | null): Promise<number> {
  const { name, path } = operations[id]!;
  const subject = path.includes('{') ? await idOf(path, owner) : '';
  const ofRun = path.includes('{run}') || id === 'takeNextRun';
  const response = await call(name, {
    query: id === 'getBest' ? '?m=8&n=8&k=8' : '',
    params: {
      id: subject,
      key: subject,
      name: 'nobody',
      run: ofRun ? await runOf(subject, path) : '',
    },
    token: tokens.get(asker)?.secret,
    body: bodies[id]?.(),
  });
  await response.body?.cancel();
  return response.status;
}

/** Every operation with every asker, as rows of a table. */
const rows = (Object.keys(MATRIX) as OperationId[]).flatMap((id) => {
  const row = MATRIX[id];
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
    return (await call('POST /sweeps/{id}/cancel', { params: { id }, token: twin })).status;
  };
  expect(await cancel('member')).toBe(403);
  expect(await cancel(null)).toBe(403);
});
