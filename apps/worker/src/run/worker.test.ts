import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  expand,
  GridWorker,
  type Link,
  type Result,
  type RunSpec,
  specSchema,
} from '@tilemark/core';
import {
  DirectLink,
  openQueue,
  openStore,
  type Queue,
  ServiceUnavailable,
  type Store,
} from '@tilemark/core/server';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  bringUp,
  execute,
  takeDown,
  testDatabase,
  testRedisUrl,
} from '../../../../packages/core/services.test-helper';
import { useBundle } from '../bundle.test-helper';
import { Runner } from '../child/runner';
import { Journal } from '../journal/journal';
import { listedAs } from './instance';
import { aloneOn } from './machine-lock';

const bundle = useBundle();
const redisUrl = testRedisUrl();

let databaseUrl: string;
let folder: string;
let prefix: string;
let store: Store;
let queue: Queue;
let cleanUp: (() => Promise<unknown>)[];

beforeEach(async () => {
  databaseUrl = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), 'tilemark-worker-'));
  prefix = `test-${randomUUID()}`;
  store = openStore(databaseUrl);
  queue = openQueue({ redisUrl, databaseUrl, prefix, lockMs: 2_000 });
  cleanUp = [() => rm(folder, { recursive: true, force: true })];
});
afterEach(async () => {
  for (const step of cleanUp.reverse()) await step();
  await queue.close();
  await store.close();
});

const journalFolder = () => join(folder, 'journal');

const lines: string[] = [];
const log = pino({}, { write: (line) => lines.push(line) });

/** A worker of the first adapter, as the command starts it. */
async function attach({
  nextRefused = 0,
  over = {},
  ...options
}: {
  finishWithinMs?: number;
  /** Replaces parts of its link. */
  over?: Partial<Link>;
  /** How many attempts to get a run find the queue unavailable. */
  nextRefused?: number;
} = {}) {
  const runner = new Runner({ entry: bundle.child, device: '0' });
  const own = openQueue({ redisUrl, databaseUrl, prefix, lockMs: 2_000 });
  const next = vi.spyOn(own, 'next');
  for (let refused = 0; refused < nextRefused; refused++) {
    next.mockRejectedValueOnce(new ServiceUnavailable('away'));
  }
  // A device that is not found gets no standard suites, whose runs would come before the test's.
  const devices = { ...store.devices, get: async () => null };
  const link = Object.assign(new DirectLink({ store: { ...store, devices }, queue: own }), over);
  const journal = await Journal.open(journalFolder(), log);
  const { worker, deviceKey } = await GridWorker.attach({
    link,
    runner,
    journal,
    log,
    sharesJournal: true,
    alone: aloneOn(join(folder, 'lock')),
    describe: listedAs,
    ...options,
  });
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await worker.stop();
    await own.close();
  };
  cleanUp.push(stop);
  return { worker, deviceKey, runner, stop };
}

interface Wanted {
  readonly kernel?: string;
  readonly tunables?: Record<string, (number | string)[]>;
  readonly n?: number;
  readonly policy?: 'smoke' | 'default';
}

/** Writes a sweep and queues its runs, as the site does. */
async function submit(deviceKey: string, wanted: Wanted): Promise<string> {
  const { kernel = 'matmul/naive', tunables = {}, n = 33, policy = 'smoke' } = wanted;
  const device = await store.devices.get(deviceKey);
  const spec = specSchema.parse({
    cases: [{ kernel, tunables, shapes: [{ m: n, n, k: n }] }],
    policy,
  });
  const runs: RunSpec[] = expand(spec, [
    { key: deviceKey, class: 'software', capabilities: device?.capabilities },
  ]);
  const created = await store.sweeps.create({
    name: 'test',
    suite: null,
    spec,
    runs,
    createdBy: 'test',
  });
  await queue.enqueue(created.runs);
  return created.sweep.id;
}

async function eventually<T>(read: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const value = await read();
    if (value !== null) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The results once every run of the sweep has ended. */
const ended = (sweepId: string): Promise<Result[]> =>
  eventually(async () => {
    const sweep = await store.sweeps.get(sweepId);
    return sweep?.status === 'done' ? (await store.sweeps.results(sweepId)).items : null;
  });

function signal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

const kindsOf = (results: readonly Result[]) => results.map((result) => result.outcome?.kind);
const stateOf = async () => (await store.workers.list())[0]?.state ?? null;
const journalled = () => readdir(journalFolder());
const until = (isSo: () => boolean | Promise<boolean>) =>
  eventually(async () => (await isSo()) || null);

describe('a worker', () => {
  it('stays attached if the queue is unavailable by then, and asks again', async () => {
    const { deviceKey } = await attach({ nextRefused: 2 });
    const sweepId = await submit(deviceKey, { n: 8 });
    expect(kindsOf(await ended(sweepId))).toEqual(['measured']);
  });

  it('registers its device, takes runs, records each outcome and leaves no journal', async () => {
    const { deviceKey } = await attach();
    expect(await store.devices.get(deviceKey)).toMatchObject({ class: 'software', workers: 1 });
    const sweepId = await submit(deviceKey, { tunables: { BLOCK: [8, 16] } });
    const results = await ended(sweepId);
    expect(kindsOf(results)).toEqual(['measured', 'measured']);
    const detail = await store.results.get(results[0]?.resultId ?? '');
    expect(detail?.wgsl).toContain('const BLOCK: u32 = 8u;');
    expect(detail?.environment).toMatchObject({
      profile: 'default',
      device: { backend: 'vulkan' },
    });
    expect(await journalled()).toEqual([]);
  });

  it('records a child killed in the middle of a run as failed, and the next run works', async () => {
    const { deviceKey, runner } = await attach();
    const sweepId = await submit(deviceKey, { n: 256, policy: 'default' });
    await until(async () => {
      const { items } = await store.sweeps.results(sweepId);
      return items.length > 0 && runner.pid !== undefined;
    });
    process.kill(runner.pid ?? 0, 'SIGKILL');
    const [first] = await ended(sweepId);
    expect(first?.outcome).toMatchObject({
      kind: 'failed',
      stage: 'device',
      message: expect.stringContaining('SIGKILL'),
    });
    expect(kindsOf(await ended(await submit(deviceKey, {})))).toEqual(['measured']);
  });

  it('keeps results in its journal while the database is unavailable, and writes them when it is back', async () => {
    const { deviceKey, runner } = await attach();
    const sweepId = await submit(deviceKey, { n: 256 });
    await until(() => runner.pid !== undefined);
    await takeDown(databaseUrl);
    const [kept] = await eventually(async () => {
      const names = await journalled();
      return names.some((name) => name.endsWith('.json')) ? names : null;
    });
    expect(kept).toMatch(/\.json$/);
    await bringUp(databaseUrl);
    expect(kindsOf(await ended(sweepId))).toEqual(['measured']);
    await until(async () => (await journalled()).length === 0);
  });

  it('writes what an earlier process left in the journal when it starts', async () => {
    const before = await attach();
    const sweepId = await submit(before.deviceKey, { n: 256 });
    await until(() => before.runner.pid !== undefined);
    await takeDown(databaseUrl);
    await until(async () => (await journalled()).length > 0);
    await before.stop();
    await bringUp(databaseUrl);
    expect((await store.sweeps.get(sweepId))?.counts.pending).toBe(1);
    await attach();
    expect(kindsOf(await ended(sweepId))).toEqual(['measured']);
  });

  it('records its runs beside a broken file in the journal', async () => {
    await mkdir(journalFolder());
    await writeFile(join(journalFolder(), 'broken.json'), '');
    const { deviceKey } = await attach();
    expect(kindsOf(await ended(await submit(deviceKey, {})))).toEqual(['measured']);
    await until(async () => (await journalled()).length === 1);
    expect(await journalled()).toEqual(['broken.json.unreadable']);
  });

  it('ends a run whose result the store refuses, and keeps the result for people', async () => {
    const { deviceKey } = await attach();
    await execute(
      databaseUrl,
      `ALTER TABLE "Result" ADD CONSTRAINT "refuses" CHECK ("outcome"->>'kind' <> 'measured')`,
    );
    const [result] = await ended(await submit(deviceKey, {}));
    expect(result?.outcome).toMatchObject({
      kind: 'failed',
      stage: 'measure',
      message: expect.stringContaining('refused'),
    });
    // Written as any result, and renamed once it is refused.
    await until(async () => (await journalled()).some((name) => name.endsWith('.refused')));
    expect(await journalled()).toHaveLength(1);
  });

  it('does not blame the store for a fault of the journal', async () => {
    await attach();
    lines.length = 0;
    await rm(journalFolder(), { recursive: true });
    const logged = (text: string) => lines.some((line) => line.includes(text));
    await until(() => logged('the journal cannot be read'));
    expect(logged('the grid is unavailable')).toBe(false);
  });

  it('finishes the run in hand when stopped, takes no other, and signs off', async () => {
    const { deviceKey, runner, stop } = await attach();
    const sweepId = await submit(deviceKey, { tunables: { BLOCK: [4, 8, 16] }, n: 256 });
    await until(() => runner.pid !== undefined);
    await stop();
    const { counts } = (await store.sweeps.get(sweepId))!;
    expect(counts.measured + counts.pending).toBe(3);
    expect(counts.measured).toBeGreaterThan(0);
    expect(counts.pending).toBeGreaterThan(0);
    expect(await store.workers.list()).toEqual([]);
  });

  it('stops in the middle of a wait for a run without a complaint', async () => {
    lines.length = 0;
    let waits = 0;
    const next = (signal: AbortSignal) =>
      new Promise<null>((_, reject) => {
        waits++;
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const { stop } = await attach({ over: { next } });
    await vi.waitFor(() => expect(waits).toBe(1), { timeout: 60_000 });
    await stop();
    expect(lines.join()).not.toContain('could not take a run');
  });

  it('gives back a run that it cannot finish in time, and the next worker takes it', async () => {
    const slow = await attach({ finishWithinMs: 50 });
    const sweepId = await submit(slow.deviceKey, { n: 512 });
    await until(() => slow.runner.pid !== undefined);
    await slow.stop();
    expect((await store.sweeps.get(sweepId))?.counts).toMatchObject({ pending: 1, failed: 0 });
    await attach();
    expect(kindsOf(await ended(sweepId))).toEqual(['measured']);
  });

  it('measures the next run while the grid has not taken the last result', async () => {
    const taken: string[] = [];
    const second = signal();
    const { deviceKey } = await attach({
      over: {
        async outcome(this: DirectLink, record) {
          await second.given;
          await DirectLink.prototype.outcome.call(this, record);
        },
        async next(this: DirectLink, asking) {
          const run = await DirectLink.prototype.next.call(this, asking);
          if (run) taken.push(run.id);
          if (taken.length === 2) second.give();
          return run;
        },
      },
    });
    const sweepId = await submit(deviceKey, { tunables: { BLOCK: [8, 16] } });
    expect(kindsOf(await ended(sweepId))).toEqual(['measured', 'measured']);
  });

  it('is shown as running though a heartbeat from before the claim arrives after it', async () => {
    const said: string[] = [];
    const begun = signal();
    const claimed = signal();
    const landed = signal();
    const { deviceKey } = await attach({
      over: {
        async heartbeat(this: DirectLink, state, runs) {
          said.push(state);
          if (said.length !== 2) return DirectLink.prototype.heartbeat.call(this, state, runs);
          begun.give();
          await claimed.given;
          const orders = await DirectLink.prototype.heartbeat.call(this, state, runs);
          // Once the worker has done what it does with the answer.
          setImmediate(landed.give);
          return orders;
        },
        async next(this: DirectLink, asking) {
          const run = await DirectLink.prototype.next.call(this, asking);
          if (run) claimed.give();
          return run;
        },
      },
    });
    await begun.given;
    await submit(deviceKey, {});
    await landed.given;
    await until(() => said.length > 2);
    expect(said.slice(0, 3)).toEqual(['idle', 'idle', 'running']);
  });

  it('shows what it is doing', async () => {
    const { deviceKey } = await attach({ finishWithinMs: 100 });
    expect(await stateOf()).toBe('idle');
    await submit(deviceKey, { n: 256, policy: 'default' });
    await until(async () => (await stateOf()) === 'running');
  });

  it('stops the run in hand once its sweep is cancelled, and takes the next', async () => {
    const { deviceKey } = await attach();
    // It would take minutes.
    const cancelled = await submit(deviceKey, { n: 1024, policy: 'default' });
    await until(async () => (await stateOf()) === 'running');
    await store.sweeps.cancel(cancelled);
    expect(kindsOf(await ended(await submit(deviceKey, {})))).toEqual(['measured']);
    expect((await store.sweeps.get(cancelled))?.counts.total).toBe(0);
  });
});
