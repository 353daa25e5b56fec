import { randomUUID } from 'node:crypto';
import {
  type AuditAction,
  auditActionSchema,
  deviceKey,
  expand,
  kernelTemplate,
} from '@tilemark/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contentOf, execute } from '../../../../../packages/core/services.test-helper';
import {
  attach,
  capabilities,
  environment,
  failed,
  identity,
  measured,
  planned,
  recordAll,
  recorded,
  sideBySide,
  sweepOf,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { standingSuites } from '../../../../../packages/core/src/suites/suites';
import { call, openTestGrid, type TestGrid } from '../grid.test-helper';
import { operations } from '../operations.test-helper';
import { handle as logIn } from './app';

/** Every operation that changes something, with its entry of the audit list: never the one alone. */

let grid: TestGrid;
let admin: string;
beforeAll(async () => {
  grid = await openTestGrid();
  admin = await grid.token('admin', 'Ada');
});
afterAll(() => grid.close());

const ask = (id: Exclude<AuditAction, 'logIn' | 'sendAlarm'>, subject: string, body?: unknown) => {
  return call(operations[id]!.name, { params: { id: subject }, token: admin, body });
};
const cases = [{ kernel: 'matmul/naive', shapes: [{ m: 8, n: 8, k: 8 }] }];
const request = (device: string) => ({
  version: '0.0.0',
  name: 'w',
  host: 'h',
  instance: randomUUID(),
  capabilities,
  identity: identity(device),
  at: new Date().toISOString(),
});
const imported = () => ({
  runId: 'a',
  resultId: null,
  variant: { kernel: 'matmul/naive', tunables: {} },
  address: '',
  problem: { op: 'matmul', shape: { m: 8, n: 8, k: 8 }, dtype: 'f32' },
  device: { key: deviceKey(identity('One')), name: 'One', class: 'gpu' },
  profile: 'default',
  policy: 'smoke',
  rate: null,
  outcome: { kind: 'skipped', why: randomUUID() },
});
const wanted = async (id: 'drainWorker' | 'pauseWorker' | 'resumeWorker') => {
  // What was wanted of a worker of that name would still be.
  const { workerId } = await attach(grid.store, id, randomUUID());
  if (id === 'resumeWorker') await grid.store.workers.want(workerId, 'paused');
  return () => ask(id, workerId);
};

/** What somebody does; alarms are sent by the grid itself. */
type Deed = Exclude<AuditAction, 'sendAlarm'>;

/** What each action needs, and how it is then done. */
const DEEDS: Record<Deed, () => Promise<() => Promise<Response>>> = {
  logIn: async () => () => logIn(new Request(`http://grid.test/login/token?token=${admin}`)),
  createSweep: async () => {
    const { deviceKey: key } = await attach(grid.store, 'Sweep');
    return () => ask('createSweep', '', { name: 'a', spec: { cases, devices: [key] } });
  },
  createTuning: async () => {
    const { deviceKey: device } = await attach(grid.store, 'Tuning');
    const problem = { op: 'matmul', shape: { m: 8, n: 8, k: 8 }, dtype: 'f32' };
    return () => ask('createTuning', '', { device, problem });
  },
  cancelSweep: async () => {
    const { deviceKey: key } = await attach(grid.store, 'Cancel');
    const { id } = await sweepOf(grid.store, [planned(key)]);
    return () => ask('cancelSweep', id);
  },
  retrySweep: async () => {
    const { deviceKey: key, workerId } = await attach(grid.store, 'Retry');
    await recordAll(grid.store, key, workerId, [[planned(key), failed]]);
    const [sweep] = (await grid.store.sweeps.list()).items;
    return () => ask('retrySweep', sweep!.id);
  },
  importResults: async () => () =>
    ask('importResults', '', {
      version: 1,
      environment: environment('One'),
      results: [imported()],
    }),
  importReference: async () => () => ask('importReference', '', sideBySide()),
  confirmResult: async () => {
    const { id: tokenId } = await grid.store.tokens.create({
      name: 'stranger',
      role: 'worker',
      expiresAt: null,
    });
    const { deviceKey: key, workerId } = await grid.store.workers.attach({
      name: 'w',
      host: 'h',
      version: '0',
      capabilities,
      tokenId,
      identity: identity(randomUUID()),
    });
    const { id, runIds } = await sweepOf(grid.store, [planned(key, { policy: 'smoke' })]);
    await grid.store.runs.claim(runIds[0]!, workerId);
    const outcome = measured(1_000, { policy: 'smoke' });
    await grid.store.runs.record(recorded(runIds[0]!, workerId, outcome));
    const [result] = (await grid.store.sweeps.results(id)).items;
    return () => ask('confirmResult', result!.resultId!);
  },
  createInvite: async () => () => ask('createInvite', '', { name: 'class', seats: 2, hours: 1 }),
  redeemInvite: async () => {
    const made = await ask('createInvite', '', { name: 'class', seats: 2, hours: 1 });
    const { secret } = await made.json();
    return () => ask('redeemInvite', '', { invite: secret });
  },
  revokeInvite: async () => {
    const made = await ask('createInvite', '', { name: 'class', seats: 2, hours: 1 });
    const { id } = await made.json();
    return () => ask('revokeInvite', id);
  },
  createToken: async () => () => ask('createToken', '', { name: 'lab', role: 'worker' }),
  revokeToken: async () => {
    const token = await grid.store.tokens.create({ name: 'x', role: 'member', expiresAt: null });
    return () => ask('revokeToken', token.id);
  },
  enrollWorker: async () => () => ask('enrollWorker', '', request(randomUUID())),
  drainWorker: () => wanted('drainWorker'),
  pauseWorker: () => wanted('pauseWorker'),
  resumeWorker: () => wanted('resumeWorker'),
  revokeWorker: async () => {
    const token = await grid.token('worker');
    const attached = await call('POST /workers', { token, body: request('Revoked') });
    const { workerId } = await attached.json();
    return () => ask('revokeWorker', workerId);
  },
  refreshCoverage: async () => {
    const { deviceKey: key, workerId } = await attach(grid.store, randomUUID(), 'w', 'software');
    const device = (await grid.store.devices.get(key))!;
    const [run] = expand(standingSuites('software')[0]!.spec, [device]);
    const { runIds } = await sweepOf(grid.store, [run!]);
    const wgsl = '// of an earlier release';
    const { policy } = run!;
    await grid.store.runs.record({
      ...recorded(runIds[0]!, workerId, measured(1e6, { policy })),
      wgsl,
    });
    return () => ask('refreshCoverage', '', { device: key, suite: null });
  },
  contributeKernel: async () => () =>
    ask('contributeKernel', '', { source: kernelTemplate(`k-${randomUUID().slice(0, 8)}`) }),
  publishKernel: async () => {
    const id = await contributed();
    return () => ask('publishKernel', id);
  },
  removeKernel: async () => {
    const id = await contributed();
    return () => ask('removeKernel', id);
  },
};

async function contributed(): Promise<string> {
  const source = kernelTemplate(`k-${randomUUID().slice(0, 8)}`);
  return (await (await ask('contributeKernel', '', { source })).json()).id;
}

const entries = async () => (await grid.store.audit.list()).items;
const databaseUrl = () => grid.databaseUrl;

it.each(auditActionSchema.exclude(['sendAlarm']).options)(
  '%s leaves one entry, with who did it',
  async (action) => {
    const act = await DEEDS[action]();
    const before = (await entries()).length;
    const response = await act();
    expect(response.status).toBeLessThan(400);
    const list = await entries();
    expect(list).toHaveLength(before + 1);
    const actor =
      action === 'redeemInvite'
        ? { name: 'class', role: 'worker' }
        : { name: 'Ada', role: 'admin' };
    expect(list[0]).toMatchObject({ action, actor });
    expect(list[0]?.subject === null).toBe(action === 'logIn');
  },
);

it.each(['retrySweep', 'confirmResult', 'drainWorker', 'pauseWorker', 'resumeWorker'] as const)(
  '%s leaves no second entry where it changes nothing',
  async (action) => {
    const act = await DEEDS[action]();
    await act();
    const before = await entries();
    expect((await act()).status).toBe(200);
    expect(await entries()).toEqual(before);
  },
);

it('of two that revoke a worker at once one is told that it is gone, and leaves no entry', async () => {
  const act = await DEEDS.revokeWorker();
  const before = (await entries()).length;
  const statuses = (await Promise.all([act(), act()])).map(({ status }) => status);
  expect(statuses.sort()).toEqual([204, 404]);
  expect(await entries()).toHaveLength(before + 1);
});

it.each(auditActionSchema.exclude(['sendAlarm']).options)(
  '%s is not done where its entry cannot be',
  async (action) => {
    const act = await DEEDS[action]();
    await execute(
      databaseUrl(),
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END $$;
     CREATE TRIGGER refuse BEFORE INSERT ON "Audit" FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    const before = await contentOf(databaseUrl(), UNSEEN);
    try {
      const response = await act();
      if (action === 'logIn') {
        expect(response.headers.get('location')).toBe('/login?failed=away');
        expect(response.headers.get('set-cookie')).toBeNull();
      } else {
        expect(response.status).toBe(503);
      }
      expect(await contentOf(databaseUrl(), UNSEEN)).toEqual(before);
    } finally {
      await execute(databaseUrl(), 'DROP TRIGGER refuse ON "Audit"; DROP FUNCTION refuse()');
    }
  },
);

/** Moves by being looked at. */
const UNSEEN = ['lastUsedAt'];
