import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execute, testDatabase, testRedisUrl } from '../../services.test-helper';
import { openQueue, type Queue } from './queue/queue';
import { isDue, visitDevices } from './sentinel';
import { attach } from './store/fixtures.test-helper';
import { openStore, type Store } from './store/store';
import type { Visit } from './store/sweeps/visits';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const now = Date.parse('2026-11-27T12:00:00Z');
const ago = (ms: number) => new Date(now - ms);
const software = { driver: '1.2.3', runtime: 'webgpu 0.6.2' };

const visit = (over: Partial<Visit> = {}): Visit => ({
  sweepId: 'a',
  createdAt: ago(2 * DAY_MS),
  isDone: true,
  software,
  ...over,
});
const due = (visits: readonly Visit[], attaches?: string, firstSeenAt = ago(2 * HOUR_MS)) =>
  isDue(
    { visits, firstSeenAt, software: attaches ? { ...software, driver: attaches } : undefined },
    now,
  );

describe('the sentinel is due', () => {
  it('an hour after a device was first seen, then daily until it has three visits', () => {
    expect(due([])).toBe(true);
    expect(due([], undefined, ago(0))).toBe(false);
    expect(due([visit()])).toBe(true);
    expect(due([visit({ createdAt: ago(HOUR_MS) })])).toBe(false);
    expect(due([visit({ isDone: false })])).toBe(false);
    expect(due([visit(), visit(), visit()])).toBe(false);
  });

  it('three times again under another driver, at once when a worker attaches with it', () => {
    const known = [visit(), visit(), visit()];
    expect(due(known, '1.2.3')).toBe(false);
    expect(due(known, '1.3.0')).toBe(true);
    expect(due([visit({ isDone: false }), visit()], '1.3.0')).toBe(false);
    const other = { ...software, driver: '1.3.0' };
    expect(due([visit({ software: other }), visit(), visit()])).toBe(true);
    expect(due([visit({ software: other, createdAt: ago(HOUR_MS) }), visit()])).toBe(false);
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

  it('is one sweep of the suite, whoever finds it due', async () => {
    const { deviceKey: key, workerId } = await attach(store, 'Watched');
    const visitIt = () => visitDevices({ store, queue }, [key]);
    expect(await visitIt()).toEqual([]);
    await execute(url, `UPDATE "Device" SET "firstSeenAt" = now() - interval '2 hours'`);
    const [first = [], second = []] = await Promise.all([visitIt(), visitIt()]);
    const ids = [...new Set([...first, ...second])];
    expect(ids).toHaveLength(1);
    const [id = ''] = ids;
    const sweep = await store.sweeps.get(id);
    expect(sweep).toMatchObject({ suite: 'sentinel@1', counts: { pending: expect.any(Number) } });
    expect((await store.visits([key])).get(key)).toMatchObject([
      { sweepId: id, isDone: false, software: null },
    ]);

    const runIds = [...(await queue.runIds(key))];
    expect(runIds.length).toBe(sweep?.counts.pending);
    const run = await store.runs.claim(runIds[0] ?? '', workerId);
    // So that its process has run nothing before.
    expect(run?.occasion).toBe(id);
    expect(await visitIt()).toEqual([]);
  });
});
