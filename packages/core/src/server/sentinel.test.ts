import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execute, testDatabase, testRedisUrl } from '../../services.test-helper';
import { openQueue, type Queue } from './queue/queue';
import { isDue, visitDevices } from './sentinel';
import { attach } from './store/fixtures.test-helper';
import { openStore, type Store } from './store/store';
import type { Visits } from './store/visits';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const now = Date.parse('2026-11-27T12:00:00Z');
const ago = (ms: number) => new Date(now - ms);
const software = { driver: '1.2.3', runtime: 'webgpu 0.6.2' };

const visits = (over: Partial<Visits> = {}): Visits => ({
  count: 3,
  sweepId: 'a',
  createdAt: ago(2 * DAY_MS),
  isDone: true,
  software,
  previousAt: ago(9 * DAY_MS),
  ...over,
});
const due = (over: Partial<Visits> | null, given: { attaches?: string; suspect?: boolean } = {}) =>
  isDue(
    {
      visits: over ? visits(over) : undefined,
      firstSeenAt: ago(2 * HOUR_MS),
      software: given.attaches ? { ...software, driver: given.attaches } : undefined,
      isSuspect: async () => given.suspect ?? false,
    },
    now,
  );

describe('the sentinel is due', () => {
  it('an hour after a device was first seen, then daily, then weekly', async () => {
    expect(await due(null)).toBe(true);
    expect(await due({ count: 2 })).toBe(true);
    expect(await due({})).toBe(false);
    expect(await due({ createdAt: ago(8 * DAY_MS) })).toBe(true);
    expect(await due({ createdAt: ago(8 * DAY_MS), isDone: false })).toBe(false);
    const fresh = { visits: undefined, firstSeenAt: ago(0), software, isSuspect: async () => true };
    expect(await isDue(fresh, now)).toBe(false);
  });

  it('when a worker attaches with another driver', async () => {
    expect(await due({}, { attaches: '1.2.3' })).toBe(false);
    expect(await due({}, { attaches: '1.3.0' })).toBe(true);
    expect(await due({ isDone: false }, { attaches: '1.3.0' })).toBe(false);
  });

  it('once more where something stood out', async () => {
    expect(await due({}, { suspect: true })).toBe(true);
    expect(await due({ previousAt: ago(2.5 * DAY_MS) }, { suspect: true })).toBe(false);
  });
});

describe('a visit', () => {
  let url: string;
  let store: Store;
  let queue: Queue;
  beforeAll(async () => {
    url = await testDatabase();
    store = openStore(url);
    queue = openQueue({
      databaseUrl: url,
      redisUrl: testRedisUrl(),
      prefix: `test-${randomUUID()}`,
    });
  });
  afterAll(async () => {
    await queue.close();
    await store.close();
  });

  it('is one sweep of the suite, with what the device runs fastest, whoever finds it due', async () => {
    const { deviceKey: key, workerId } = await attach(store, 'Watched');
    const visit = () => visitDevices({ store, queue }, [key]);
    expect(await visit()).toEqual([]);
    await execute(url, `UPDATE "Device" SET "firstSeenAt" = now() - interval '2 hours'`);
    const [first = [], second = []] = await Promise.all([visit(), visit()]);
    const ids = [...new Set([...first, ...second])];
    expect(ids).toHaveLength(1);
    const [id = ''] = ids;
    const sweep = await store.sweeps.get(id);
    expect(sweep).toMatchObject({ suite: 'sentinel@1', counts: { pending: expect.any(Number) } });
    expect((await store.visits.on([key])).get(key)).toMatchObject({
      count: 1,
      isDone: false,
      software: null,
      previousAt: null,
    });

    const runIds = [...(await queue.runIds(key))];
    expect(runIds.length).toBe(sweep?.counts.pending);
    const run = await store.runs.claim(runIds[0] ?? '', workerId);
    // So that its process has run nothing before.
    expect(run?.occasion).toBe(id);
    expect(await visit()).toEqual([]);
  });
});
