import { randomUUID } from 'node:crypto';
import { InputError } from '@tilemark/kernels';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { testRedisUrl } from '../../services.test-helper';
import type { NewSweep } from '../api/api';
import { DirectLink } from './direct-link';
import { consume } from './queue/consumer.test-helper';
import type { Queue } from './queue/queue';
import { openQueue } from './queue/queue';
import { keepReconciled, type Reconciled, reconcile } from './reconcile';
import {
  attach,
  capabilities,
  failed,
  identity,
  planned,
  recorded,
  sweepOf,
} from './store/fixtures.test-helper';
import { testStore } from './store/store.test-helper';
import { backfill, retrySweep, submitSweep } from './submit';

let queue: Queue;
/** Nothing listens there. */
let awayQueue: Queue;

const { db, store, url: databaseUrl } = await testStore();
beforeAll(async () => {
  queue = openQueue({ redisUrl: testRedisUrl(), databaseUrl, prefix: `test-${randomUUID()}` });
  awayQueue = openQueue({ redisUrl: 'redis://127.0.0.1:1', databaseUrl });
});
afterAll(async () => {
  await Promise.all([queue.close(), awayQueue.close()]);
});

const tester = { name: 'tester' };
const bySpec = (over: Partial<Extract<NewSweep, { spec: object }>['spec']> = {}): NewSweep => ({
  name: 'by hand',
  spec: {
    cases: [
      {
        kernel: 'matmul/tiled',
        tunables: { TILE: [4, 8, 16] },
        shapes: [{ m: 64, n: 64, k: 64 }],
        dtypes: ['f32'],
      },
    ],
    profiles: ['default'],
    policy: 'default',
    ...over,
  },
});

/** Waits until the worker counts as lost, in a time no test waits: by never having beaten. */
const detached = async (device: string, name: string) => {
  const worker = await attach(store, device, name);
  return { ...worker, lose: () => store.workers.detach(worker.workerId) };
};

describe('submitting', () => {
  test('writes the runs and queues them for the devices with workers', async () => {
    const { deviceKey } = await attach(store, 'Here');
    const gone = await detached('Away', 'w1');
    await gone.lose();
    const { id, counts } = await submitSweep({ store, queue }, bySpec(), tester);
    expect(counts).toMatchObject({ total: 3, pending: 3 });
    const { items } = await store.sweeps.results(id);
    expect(await queue.runIds(deviceKey)).toEqual(new Set(items.map((item) => item.runId)));
    expect(await queue.depth(gone.deviceKey)).toBe(0);
    expect(await store.sweeps.get(id)).toMatchObject({ suite: null, createdBy: 'tester' });
  });

  test('a device that is named gets its runs though no worker is attached', async () => {
    const gone = await detached('Later', 'w1');
    await gone.lose();
    await submitSweep({ store, queue }, bySpec({ devices: [gone.deviceKey] }), tester);
    expect(await queue.depth(gone.deviceKey)).toBe(3);
  });

  test('a suite is kept by name and version, with its choices', async () => {
    const { deviceKey } = await attach(store, 'Suite');
    const { id } = await submitSweep(
      { store, queue },
      {
        name: 'layouts',
        suite: 'layouts',
        params: { n: 64 },
        policy: 'smoke',
        devices: [deviceKey],
      },
      tester,
    );
    const sweep = await store.sweeps.get(id);
    expect(sweep?.suite).toMatch(/^layouts@\d+$/);
    expect(sweep?.spec).toMatchObject({ policy: 'smoke', devices: [deviceKey] });
  });

  test.each([
    [{ name: 'x', suite: 'nothing-like-this', params: {} }, 'suite'],
    [{ name: 'x', suite: 'layouts', params: { n: -1 } }, 'params.n'],
    [bySpec({ devices: ['nowhere'] }), 'devices[0]'],
  ] as [NewSweep, string][])('%j is refused at its field', async (body, field) => {
    const error = await submitSweep({ store, queue }, body, tester).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(InputError);
    expect((error as InputError).field).toBe(field);
  });

  test('a sweep is kept while the queue is unavailable, and is queued when it is back', async () => {
    const { deviceKey } = await attach(store, 'Outage');
    const { counts } = await submitSweep(
      { store, queue: awayQueue },
      bySpec({ devices: [deviceKey] }),
      tester,
    );
    expect(counts.pending).toBe(3);
    expect(await queue.depth(deviceKey)).toBe(0);
    await reconcile({ store, queue });
    expect(await queue.depth(deviceKey)).toBe(3);
  });

  test('failed runs are queued again', async () => {
    const { deviceKey, workerId } = await attach(store, 'Retry');
    const { id, runIds } = await sweepOf(store, [planned(deviceKey)]);
    await store.runs.record(recorded(runIds[0]!, workerId, failed));
    expect(await retrySweep({ store, queue }, id)).toEqual({ retried: 1 });
    expect(await queue.runIds(deviceKey)).toEqual(new Set(runIds));
    expect(await retrySweep({ store, queue }, 'unknown')).toBeNull();
  });
});

describe('back-filling', () => {
  test('a new device gets each standard suite once, however many ask', async () => {
    const { deviceKey } = await attach(store, 'Fresh');
    const services = { store, queue };
    await Promise.all([1, 2, 3].map(() => backfill(services, deviceKey)));
    const sweeps = await store.sweeps.ofSuite('starter@1', deviceKey);
    expect(sweeps).toHaveLength(1);
    expect(await store.sweeps.get(sweeps[0]!)).toMatchObject({
      name: 'Starter on Fresh',
      createdBy: 'tilemark',
    });
    await store.sweeps.cancel(sweeps[0]!);
    expect(await backfill(services, deviceKey)).toEqual([]);
  });

  test('a browser that computes on the CPU gets what software devices do', async () => {
    const begun = async (name: string, architecture: string) => {
      const { deviceKey } = await store.workers.attach({
        ...{ name, host: 'lab', version: '0.1.0', capabilities },
        identity: { ...identity(name, 'browser'), architecture, runtime: 'chrome' },
      });
      const ids = await backfill({ store, queue }, deviceKey);
      return Promise.all(ids.map(async (id) => (await store.sweeps.get(id))?.suite));
    };
    expect(await begun('Tab', 'anvil')).toEqual(['quick@1']);
    expect(await begun('Tab on the CPU', 'software')).toContain('starter@1');
  });

  test('a device that somebody gave the suite needs none', async () => {
    const { deviceKey } = await attach(store, 'Given');
    const body = { name: 'mine', suite: 'starter', params: {}, devices: [deviceKey] };
    await submitSweep({ store, queue }, body, tester);
    const others = await backfill({ store, queue }, deviceKey);
    const suites = await Promise.all(others.map((id) => store.sweeps.get(id)));
    expect(suites.map((sweep) => sweep?.suite)).not.toContain('starter@1');
  });
});

describe('reconciling', () => {
  test('is started for each untrusted token by itself, and for all that are trusted once', async () => {
    const lend = async () => {
      const token = { name: 'lender', role: 'worker', expiresAt: null } as const;
      const { id: tokenId } = await store.tokens.create(token);
      const { deviceKey: key } = await store.workers.attach({
        ...{
          name: 'w',
          host: 'h',
          version: '0',
          capabilities,
          identity: identity('Lent'),
          tokenId,
        },
      });
      return { key, started: await backfill({ store, queue }, key, tokenId) };
    };
    const { key, started } = await lend();
    const { started: others } = await lend();
    expect(others).toHaveLength(started.length);
    expect(await backfill({ store, queue }, key)).toHaveLength(started.length);
    expect(await backfill({ store, queue }, key)).toEqual([]);
  });

  test('gives two of a class with the same GPU the runs of their own, whoever asks first', async () => {
    const teacher = { name: 'teacher', role: 'member', expiresAt: null } as const;
    const { id: tokenId } = await store.tokens.create(teacher);
    const { secret } = await store.invites.create({
      ...{ name: 'class', seats: 2, expiresAt: new Date(Date.now() + 3_600_000) },
      by: { ...teacher, tokenId },
    });
    const join = async (name: string) => {
      const seat = await store.tokens.verify((await store.invites.redeem(secret)).secret);
      const link = new DirectLink({ store, queue });
      const { suites } = await link.attach(
        {
          ...{ name, host: 'browser', version: '0' },
          ...{ capabilities, identity: identity('Of a class'), instance: randomUUID() },
        },
        { tokenId: seat?.tokenId ?? '' },
      );
      return { link, suites };
    };
    const students = [await join('Ada'), await join('Grace')];
    const runs = (sweepId: string) => db.run.count({ where: { sweepId } });
    for (const { link, suites } of students.toReversed()) {
      expect(suites.length).toBeGreaterThan(0);
      const own = await Promise.all(suites.map(runs));
      expect(Math.min(...own)).toBeGreaterThan(0);
      for (let taken = 0; taken < 3; taken++) {
        const run = await link.next(new AbortController().signal);
        const { sweepId } = await db.run.findUniqueOrThrow({ where: { id: run?.id ?? '' } });
        expect(suites).toContain(sweepId);
      }
    }
  });

  test('queues rows without a job, and removes jobs without a row', async () => {
    await reconcile({ store, queue });
    const { deviceKey } = await attach(store, 'Reconcile');
    const { runIds } = await sweepOf(store, [planned(deviceKey), planned(deviceKey)]);
    await queue.enqueue([
      { id: runIds[0]!, deviceKey },
      { id: 'orphan', deviceKey },
    ]);
    expect(await reconcile({ store, queue })).toEqual({
      reclaimed: 0,
      dropped: 0,
      enqueued: 1,
      removed: 1,
      cutOff: 0,
      visited: 0,
    });
    expect(await queue.runIds(deviceKey)).toEqual(new Set(runIds));
    expect(await reconcile({ store, queue })).toMatchObject({ enqueued: 0, removed: 0 });
  });

  test('queues what nobody waits for behind what people asked for', async () => {
    const { deviceKey } = await attach(store, 'Behind');
    const submit = async (background: boolean) => {
      const body = bySpec({ devices: [deviceKey] });
      const { id } = await submitSweep({ store, queue: awayQueue }, body, tester, { background });
      await reconcile({ store, queue });
      return { id, runIds: (await store.sweeps.results(id)).items.map(({ runId }) => runId) };
    };
    const background = await submit(true);
    const asked = await submit(false);
    const taken: string[] = [];
    const consumer = consume(queue, deviceKey, async ({ runId }) => void taken.push(runId));
    await vi.waitFor(() => expect(taken).toHaveLength(6), { timeout: 60_000 });
    await consumer.close();
    expect(new Set(taken.slice(0, 3))).toEqual(new Set(asked.runIds));
    expect(new Set(taken.slice(3))).toEqual(new Set(background.runIds));
    await store.sweeps.cancel(background.id);
    await store.sweeps.cancel(asked.id);
  });

  test('takes the jobs of a cancelled sweep away', async () => {
    const { deviceKey } = await attach(store, 'Cancel');
    const { id } = await submitSweep({ store, queue }, bySpec({ devices: [deviceKey] }), tester);
    await store.sweeps.cancel(id);
    expect(await reconcile({ store, queue })).toMatchObject({ removed: 3 });
    expect(await queue.depth(deviceKey)).toBe(0);
  });

  test('queues again what a lost worker held', async () => {
    const worker = await detached('Lost', 'w1');
    const { runIds } = await sweepOf(store, [planned(worker.deviceKey)]);
    await store.runs.claim(runIds[0]!, worker.workerId);
    await worker.lose();
    expect(await reconcile({ store, queue })).toMatchObject({ reclaimed: 1, enqueued: 1 });
    expect(await queue.runIds(worker.deviceKey)).toEqual(new Set(runIds));
  });

  test('goes on after a failure, until it is told to end', async () => {
    const { deviceKey } = await attach(store, 'Kept');
    await reconcile({ store, queue });
    await sweepOf(store, [planned(deviceKey)]);
    const stop = new AbortController();
    const errors: unknown[] = [];
    const reports: Reconciled[] = [];
    let turn = 0;
    const flaky: Queue = {
      ...queue,
      runIds: (key) => (turn++ === 0 ? awayQueue.runIds(key) : queue.runIds(key)),
      enqueue: (runs) => queue.enqueue(runs),
      remove: (runs) => queue.remove(runs),
    };
    await keepReconciled(
      { store, queue: flaky },
      {
        everyMs: 1,
        signal: stop.signal,
        onError: (error) => errors.push(error),
        onReconciled: (what) => {
          reports.push(what);
          stop.abort();
        },
      },
    );
    expect(errors).toHaveLength(1);
    expect(reports).toMatchObject([{ enqueued: 1 }]);
  });
});
