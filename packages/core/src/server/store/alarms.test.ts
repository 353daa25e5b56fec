import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolveVariant } from '@tilemark/kernels';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execute, testDatabase } from '../../../services.test-helper';
import { recomputedDuel } from '../../measure/duel';
import type { Measurement, Outcome } from '../../measure/outcome';
import { summarise } from '../../statistics/summary';
import { alarmSchema } from '../../view/alarm';
import { sendAlarms } from '../alarm-webhook';
import {
  attach,
  capabilities,
  identity,
  measured,
  noise,
  planned,
  recorded,
  spec,
  square,
} from './fixtures.test-helper';
import { openStore, type Store } from './store';

let url: string;
let store: Store;
beforeAll(async () => {
  url = await testDatabase();
  store = openStore(url);
});
afterAll(() => store.close());

const wrong: Outcome = {
  kind: 'incorrect',
  when: 'before',
  worst: { row: 0, col: 0, got: 1, want: 0, bound: 0 },
};

/** So many times as fast as a control, by turns in one process on a machine that is busy. */
function dueled(medianNs: number, ratio: number): Outcome {
  const unranked = 'the device throttled during more than half of the samples';
  const outcome = measured(medianNs, { halfWidth: 0.004, unranked });
  if (outcome.kind !== 'measured') return outcome;
  const side = (ns: number) => ({
    ...summarise(noise(200).map((part) => ns * (1 + part / 1000))),
    implausible: null,
  });
  const duel = recomputedDuel(
    {
      verdict: 'FAST',
      ratio,
      low: ratio,
      high: ratio,
      wouldTake: 1,
      rounds: 100,
      stop: 'converged',
      a: side(medianNs),
      b: side(ratio * medianNs),
    },
    'duel',
  );
  const { measurement } = outcome;
  const against = resolveVariant('matmul/naive', {}).address;
  return { ...outcome, measurement: { ...measurement, duel: { against, duel, why: null } } };
}

/** As the process measured it that claimed the run. */
const asClaimed = (measurement: Measurement, seed: number | undefined, invocation: string) => ({
  ...measurement,
  invocation,
  verification: { ...measurement.verification, ...(seed !== undefined && { seed }) },
});

interface Visit {
  readonly outcome: Outcome;
  readonly driver?: string;
  readonly invocation?: string;
  readonly suite?: string | null;
  readonly problem?: ReturnType<typeof square>;
}

/** A visit of the sentinel to a device, in a process of its own: one run. */
async function visit(
  device: { readonly deviceKey: string; readonly workerId: string },
  name: string,
  {
    driver = '1.2.3',
    invocation = randomUUID(),
    outcome,
    problem = square(64),
    suite = 'sentinel@1',
  }: Visit,
): Promise<void> {
  const isDueled = outcome.kind === 'measured' && outcome.measurement.duel !== undefined;
  const rival = { variant: { kernel: 'matmul/naive', tunables: {} } };
  const run = planned(device.deviceKey, { problem, ...(isDueled && { rival }) });
  const made = await store.sweeps.create({
    name: 'visit',
    suite,
    spec,
    runs: [run],
    createdBy: 'tilemark',
  });
  const [{ id } = { id: '' }] = made.runs;
  const claimed = await store.runs.claim(id, device.workerId);
  const ofProcess =
    outcome.kind === 'measured'
      ? { ...outcome, measurement: asClaimed(outcome.measurement, claimed?.seed, invocation) }
      : { ...outcome, ...(outcome.kind === 'incorrect' && { invocation }) };
  const record = recorded(id, device.workerId, ofProcess, name);
  // A stranger's samples take no longer than its run.
  await execute(
    url,
    `UPDATE "Run" SET "claimedAt" = now() - interval '1 minute' WHERE "id" = '${id}'`,
  );
  await store.runs.record({ ...record, environment: { ...record.environment, driver } });
}

const times = async (name: string, medians: readonly number[], over: Partial<Visit> = {}) => {
  const device = await attach(store, name, name);
  for (const medianNs of medians)
    await visit(device, name, { outcome: measured(medianNs), ...over });
  return device;
};
const listed = async (device: string) =>
  (await store.alarms.list({ device })).items.map((alarm) => alarmSchema.parse(alarm));

describe('the alarms of a device', () => {
  it('tell what became slower, under which driver, by two invocations that agree', async () => {
    const device = await times('Slow', [1e6, 1.001e6, 0.999e6, 1e6]);
    const after = { driver: '1.3.0' };
    await visit(device, 'Slow', { outcome: measured(1.5e6), ...after });
    expect(await listed(device.deviceKey)).toEqual([]);
    expect(await store.alarms.isSuspect(device.deviceKey)).toBe(true);
    await visit(device, 'Slow', { outcome: measured(1.51e6), ...after });
    const [alarm, ...others] = await listed(device.deviceKey);
    expect(others).toEqual([]);
    expect(alarm).toMatchObject({
      kind: 'SLOW',
      address: 'matmul/tiled[TILE=16]',
      problem: square(64),
      software: { driver: '1.3.0' },
      softwareBefore: { driver: '1.2.3' },
      change: { ratio: expect.closeTo(1 / 1.505, 2), before: { invocations: 4 } },
    });
    expect(await store.alarms.isSuspect(device.deviceKey)).toBe(false);
  });

  it('are none where nothing changed, nor of two results of one process, nor of other sweeps', async () => {
    const quiet = [1, 1.002, 0.998, 1.001, 1, 0.999, 1.002, 1, 1.001, 0.998];
    const { deviceKey } = await times(
      'Quiet',
      quiet.map((part) => part * 1e6),
    );
    expect(await listed(deviceKey)).toEqual([]);
    const busy = await times('One process', [1e6, 1e6, 1e6]);
    await times('One process', [2e6, 2e6, 2e6], { invocation: randomUUID() });
    expect(await listed(busy.deviceKey)).toEqual([]);
    await times('One process', [2e6, 2e6], { suite: null });
    expect(await listed(busy.deviceKey)).toEqual([]);
  });

  it('count no result of a stranger that nobody confirmed', async () => {
    const device = await times('Strange', [1e6, 1e6, 1e6]);
    const { id: tokenId } = await store.tokens.create({
      name: 'stranger',
      role: 'worker',
      expiresAt: null,
    });
    const { workerId } = await store.workers.attach({
      name: 'stranger',
      host: 'elsewhere',
      version: '0.1.0',
      identity: identity('Strange'),
      capabilities,
      tokenId,
    });
    for (const medianNs of [1e6, 1e6, 1e6, 3e6, 3e6]) {
      await visit({ ...device, workerId }, 'Strange', { outcome: measured(medianNs) });
    }
    expect(await listed(device.deviceKey)).toEqual([]);
  });

  it("of a stranger's own device are told to who asks for that device; a member's to everybody", async () => {
    const create = (role: 'worker' | 'member') =>
      store.tokens.create({ name: role, role, expiresAt: null });
    const member = await create('member');
    const invite = await store.invites.create({
      ...{ name: 'lab', seats: 1, expiresAt: new Date(Date.now() + 60_000) },
      by: { tokenId: member.id, name: 'member', role: 'member' },
    });
    const guest = await store.tokens.verify((await store.invites.redeem(invite.secret)).secret);
    const stranger = await create('worker');
    const told: boolean[] = [];
    for (const [name, tokenId = ''] of [
      ['Invented', stranger.id],
      ['Of a member', guest?.tokenId],
    ] as const) {
      const device = await store.workers.attach({
        ...{ name: 'own', host: name, version: '0.1.0', identity: identity(name) },
        ...{ capabilities, tokenId },
      });
      for (const medianNs of [1e6, 1e6, 1e6, 3e6, 3e6]) {
        await visit(device, name, { outcome: measured(medianNs) });
      }
      expect(await listed(device.deviceKey)).toMatchObject([{ kind: 'SLOW' }]);
      const { items } = await store.alarms.list();
      told.push(items.some((alarm) => alarm.device.key === device.deviceKey));
    }
    expect(told).toEqual([false, true]);
  });

  it('compare with a control where the machine shares the device, and its load is no change', async () => {
    const { deviceKey, workerId } = await attach(store, 'Soft', 'Soft', 'software');
    const soft = { deviceKey, workerId };
    const loads = [1, 4, 1, 9, 2, 1, 5, 1, 3, 8];
    for (const load of loads) await visit(soft, 'Soft', { outcome: dueled(load * 1e6, 2) });
    // Without turns there is nothing to compare.
    for (const load of loads) await visit(soft, 'Soft', { outcome: measured(load * 1e6) });
    expect(await listed(deviceKey)).toEqual([]);
    for (const load of [1, 1]) await visit(soft, 'Soft', { outcome: dueled(load * 1e6, 0.5) });
    expect(await listed(deviceKey)).toMatchObject([
      { kind: 'SLOW', change: { ratio: expect.closeTo(0.25, 1), before: null } },
    ]);
  });

  it('are listed newest first, a page after another', async () => {
    const all = (await store.alarms.list()).items;
    const [newest, next] = all;
    if (!newest) throw new Error('there is no alarm');
    const rest = await store.alarms.list({ cursor: newest.id });
    expect(rest.items[0]?.id).toBe(next?.id);
    expect(rest.items).toHaveLength(all.length - 1);
  });
});

describe('what is known to be wrong', () => {
  const best = (device: string) =>
    store.best({ op: 'matmul', dtype: 'f32', profile: 'default', m: 64, n: 64, k: 64, device });

  it('is an alarm once two invocations agree, and no answer until the driver changes', async () => {
    const device = await times('Wrong', [1e6, 1e6]);
    const { deviceKey } = device;
    const before = await best(deviceKey);
    expect(before?.result).not.toBeNull();
    const invocation = randomUUID();
    // Whatever asked for it, and on another problem.
    const bad = { outcome: wrong, driver: '2.0', suite: null, problem: square(96) };
    await visit(device, 'Wrong', { ...bad, invocation });
    await visit(device, 'Wrong', { ...bad, invocation });
    expect(await listed(deviceKey)).toEqual([]);
    expect((await best(deviceKey))?.address).toBe(before?.address);
    await visit(device, 'Wrong', bad);
    expect(await listed(deviceKey)).toMatchObject([
      { kind: 'INCORRECT', change: null, software: { driver: '2.0' } },
    ]);
    expect((await best(deviceKey))?.address).not.toBe(before?.address);
    await visit(device, 'Wrong', { outcome: measured(1e6), driver: '2.1' });
    expect((await best(deviceKey))?.address).toBe(before?.address);
  });
});

describe('the webhook', () => {
  it('gets each alarm once, when it answers', async () => {
    const bodies: { text: string; alarm: unknown }[] = [];
    let status = 500;
    const server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      bodies.push(JSON.parse(Buffer.concat(parts).toString()));
      response.writeHead(status, { Location: '/elsewhere' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    try {
      await times('Hook', [1e6, 1e6, 1e6, 2e6, 2e6]);
      const alarms = (await store.alarms.list()).items.reverse();
      await expect(sendAlarms(store, hook)).rejects.toThrow('the webhook answered 500');
      status = 302;
      await expect(sendAlarms(store, hook)).rejects.toThrow('does not answer');
      status = 204;
      expect(await sendAlarms(store, hook)).toBe(alarms.length);
      expect(await sendAlarms(store, hook)).toBe(0);
      expect(bodies.slice(2).map(({ alarm }) => alarm)).toEqual(alarms);
      expect(bodies.at(-1)?.text).toMatch(
        /^matmul\/tiled\[TILE=16\] is slower \(0.50 times as fast\)/,
      );
      const { items } = await store.audit.list({ action: 'sendAlarm' });
      expect(items.map(({ subject }) => subject).reverse()).toEqual(alarms.map(({ id }) => id));
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
