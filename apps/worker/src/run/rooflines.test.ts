import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepRooflines, rooflineSchema } from '@tilemark/core';
import {
  DirectLink,
  openQueue,
  openStore,
  type Queue,
  ServiceUnavailable,
  type Store,
} from '@tilemark/core/server';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { testDatabase, testRedisUrl } from '../../../../packages/core/services.test-helper';
import { useBundle } from '../bundle.test-helper';
import { Runner } from '../child/runner';
import { aloneOn } from './machine-lock';

const bundle = useBundle();

let store: Store;
let queue: Queue;
let folder: string;
let runner: Runner | null = null;
beforeEach(async () => {
  const databaseUrl = await testDatabase();
  store = openStore(databaseUrl);
  queue = openQueue({ databaseUrl, redisUrl: testRedisUrl(), prefix: `test-${randomUUID()}` });
  folder = await mkdtemp(join(tmpdir(), 'tilemark-rooflines-'));
});
afterEach(async () => {
  await runner?.close();
  await queue.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

/** Attaches a device of this machine and measures its rooflines, unless told to stop. */
async function attach(device: string) {
  const opened = new Runner({ entry: bundle.child, device });
  runner = opened;
  const { identity, capabilities } = await opened.open('default');
  const worker = { name: 'w', host: 'h', version: '0', identity, capabilities };
  const link = new DirectLink({ store, queue });
  const { deviceKey } = await link.attach(worker);
  const keep = async (signal = new AbortController().signal, machineLoad = () => 0) => {
    const { rooflines } = await link.attach(worker);
    await keepRooflines(
      {
        link,
        runner: opened,
        log: pino({ level: 'silent' }),
        alone: aloneOn(join(folder, 'lock')),
        machineLoad,
        idleMs: 0,
        checkMs: 10,
      },
      { deviceClass: identity.class, rooflines, worker: { idleMs: 0 }, signal },
    );
  };
  return { keep, deviceKey, runner: opened };
}

/** The child that is at work, once there is one. */
async function childPid(): Promise<number> {
  while (runner?.pid === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
  return runner.pid;
}

it('keeps the roofline of a software adapter under the default profile, once a day', async () => {
  const { keep, deviceKey } = await attach('0');
  const record = vi.spyOn(store.rooflines, 'record');
  record.mockRejectedValueOnce(new ServiceUnavailable('away'));
  const keeping = keep();
  // It keeps every core busy for half a minute: tests that run beside it come first.
  setPriority(await childPid(), constants.priority.PRIORITY_LOW);
  await keeping;
  const rooflines = await store.rooflines.latest(deviceKey);
  expect(rooflines.map(({ profile }) => profile)).toEqual(['default']);
  for (const roofline of rooflines) {
    expect(rooflineSchema.parse(roofline)).toEqual(roofline);
    expect(roofline.copies.length).toBeGreaterThan(5);
    expect(roofline.peaks.map(({ dtype }) => dtype)).toEqual(['f32', 'i32', 'f16']);
  }
  await keep();
  expect(await store.rooflines.latest(deviceKey)).toEqual(rooflines);
});

it('waits until the machine of a software adapter is idle, not the worker alone', async () => {
  const { keep, deviceKey, runner: own } = await attach('0');
  const survey = vi.spyOn(own, 'survey').mockResolvedValue({
    copies: [{ bytes: 2 ** 20, gigabytesPerSecond: 1 }],
    peaks: [{ dtype: 'f32', gigaflopsPerSecond: 1 }],
  });
  const loads: number[] = [];
  await keep(undefined, () => {
    const load = loads.length < 5 ? 0.6 : 0.05;
    loads.push(load);
    expect(survey).not.toHaveBeenCalled();
    return load;
  });
  expect(loads).toEqual([...Array(5).fill(0.6), 0.05]);
  expect(await store.rooflines.latest(deviceKey)).toHaveLength(1);
});

it('keeps nothing of the host, which has no probes', async () => {
  const { keep, deviceKey } = await attach('cpu');
  await keep();
  expect(await store.rooflines.latest(deviceKey)).toEqual([]);
});

it('ends when it is told to, with nothing kept, and the runner goes on', async () => {
  const { keep, deviceKey, runner: own } = await attach('0');
  const stop = new AbortController();
  const keeping = keep(stop.signal);
  await childPid();
  stop.abort();
  await keeping;
  expect(await store.rooflines.latest(deviceKey)).toEqual([]);
  expect((await own.open('default')).identity.class).toBe('software');
});
