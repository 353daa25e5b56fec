import { randomUUID } from 'node:crypto';
import {
  DatabaseUnavailable,
  openQueue,
  openStore,
  type Queue,
  type Store,
} from '@tilemark/core/server';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { capabilities, identity } from '../../../packages/core/src/server/store/test-fixtures';
import { testDatabase, testRedisUrl } from '../../../packages/core/test-services';
import { startStandingSuites } from './standing-suites';

let store: Store;
let queue: Queue;
let deviceKey: string;
beforeEach(async () => {
  const databaseUrl = await testDatabase();
  store = openStore(databaseUrl);
  queue = openQueue({ databaseUrl, redisUrl: testRedisUrl(), prefix: `test-${randomUUID()}` });
  const host = { name: 'w', host: 'h', version: '0', capabilities };
  ({ deviceKey } = await store.workers.attach({ ...host, identity: identity('One', 'cpu') }));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await queue.close();
  await store.close();
});

const start = (signal = new AbortController().signal) =>
  startStandingSuites({ store, queue, log: pino({ level: 'silent' }) }, deviceKey, signal);
const suites = async () => (await store.sweeps.list()).items.map(({ suite }) => suite).toSorted();

it('starts each suite once, also where the database was away twice meanwhile', async () => {
  const get = vi.spyOn(store.devices, 'get');
  for (const _ of [1, 2]) get.mockRejectedValueOnce(new DatabaseUnavailable('away'));
  await start();
  const started = await suites();
  expect(started).toContainEqual(expect.stringMatching(/^starter@/));
  await start();
  expect(await suites()).toEqual(started);
});

it('goes on where the database went away between two suites', async () => {
  const ofSuite = vi.spyOn(store.sweeps, 'ofSuite');
  ofSuite.mockResolvedValueOnce([]).mockRejectedValueOnce(new DatabaseUnavailable('away'));
  await start();
  const started = await suites();
  expect(new Set(started).size).toBe(started.length);
  expect(started.length).toBeGreaterThan(1);
});

it('ends when it is told to, and does not try again what another try would not change', async () => {
  const stopping = new AbortController();
  const get = vi.spyOn(store.devices, 'get').mockRejectedValue(new DatabaseUnavailable('away'));
  const starting = start(stopping.signal);
  stopping.abort();
  await starting;
  expect(get).toHaveBeenCalledTimes(1);
  get.mockReset().mockRejectedValue(new Error('a defect'));
  await start();
  expect(get).toHaveBeenCalledTimes(1);
});
