import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { newSweepSchema } from '@tilemark/core';
import { openQueue, openStore, type Store, submitSweep } from '@tilemark/core/server';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { testDatabase, testRedisUrl } from '../../../../packages/core/services.test-helper';
import { startRedis } from '../../../../scripts/services/redis';
import { useBundle } from '../bundle.test-helper';

const bundle = useBundle();
const redisUrl = testRedisUrl();

let databaseUrl: string;
let folder: string;
let store: Store;
beforeEach(async () => {
  databaseUrl = await testDatabase();
  store = openStore(databaseUrl);
  folder = await mkdtemp(join(tmpdir(), 'tilemark-worker-'));
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  readonly stdout: () => string;
  readonly stderr: () => string;
}

/** Starts `tilemark worker` as a supervisor would. */
function start(
  args: readonly string[],
  env: Record<string, string>,
  program: readonly string[] = [bundle.main],
): Started {
  const child = spawn(process.execPath, [...program, 'worker', ...args], {
    env: {
      ...process.env,
      DATABASE_URL: '',
      REDIS_URL: '',
      TILEMARK_DATA: folder,
      // With it a machine lock of its own.
      TMPDIR: folder,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    output.stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += chunk.toString();
  });
  return {
    child,
    ended: new Promise((resolve) => child.on('close', resolve)),
    stdout: () => output.stdout,
    stderr: () => output.stderr,
  };
}

async function eventually<T>(read: () => Promise<T | null | undefined>): Promise<T> {
  for (;;) {
    const value = await read();
    if (value !== null && value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The sweep that a new device begins with. */
const starter = () =>
  eventually(async () =>
    (await store.sweeps.list()).items.find(({ suite }) => suite?.startsWith('starter@')),
  );

const attached = () => eventually(async () => (await store.workers.list())[0]);

const becomes = (state: string) =>
  eventually(async () => ((await store.workers.list())[0]?.state === state ? true : null));

/** The run in hand, of a sweep if one is named. */
const running = (sweepId?: string) =>
  eventually(async () => {
    const run = (await store.workers.list())[0]?.run;
    return sweepId === undefined || run?.sweep.id === sweepId ? run : null;
  });

/** Queues runs of a second, instead of those of many that a new device begins with. */
async function shortRuns(redisUrl: string | null) {
  await starter();
  const { items } = await store.sweeps.list();
  await Promise.all(items.map((sweep) => store.sweeps.cancel(sweep.id)));
  const shapes = Array.from({ length: 40 }, (_, i) => ({ m: 240 + i, n: 256, k: 256 }));
  const spec = { cases: [{ kernel: 'matmul/cpu-naive', shapes }], policy: 'screen' };
  const queue = openQueue({ databaseUrl, redisUrl });
  const short = newSweepSchema.parse({ name: 'short', spec });
  const sweep = await submitSweep({ store, queue }, short, { name: 'tester' });
  return { sweep, queue };
}

it('starts the standard suites on a new device; pauses, drains and works again as an admin wants, and keeps to it over a restart', async () => {
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl ?? '' };
  const first = start(['--device', 'cpu'], env);
  onTestFinished(() => void first.child.kill('SIGKILL'));
  const { id, device } = await attached();
  expect(device.class).toBe('cpu');
  const suite = expect.stringMatching(/^starter@/);
  expect(await starter()).toMatchObject({ suite, createdBy: 'tilemark' });

  await running();
  await store.workers.want(id, 'paused');
  await becomes('paused');
  expect((await store.workers.list())[0]?.run).toBeNull();
  expect(first.stdout()).toContain('run handed back');
  const { queue, sweep } = await shortRuns(redisUrl);
  onTestFinished(() => queue.close());
  const counts = async () => (await store.sweeps.get(sweep.id))!.counts;

  await store.workers.want(id, 'working');
  const inHand = await running();
  const told = first.stdout().length;
  await store.workers.want(id, 'drained');
  await becomes('paused');
  const drained = await store.sweeps.results(sweep.id);
  expect(drained.items.find(({ runId }) => runId === inHand.id)?.outcome?.kind).toBe('measured');
  expect(first.stdout().slice(told)).not.toContain('run handed back');
  expect((await counts()).pending).toBeGreaterThan(0);

  await store.workers.want(id, 'paused');
  first.child.kill('SIGTERM');
  expect(await first.ended).toBe(0);
  expect(await store.workers.list()).toEqual([]);
  const second = start(['--device', 'cpu'], env);
  onTestFinished(() => void second.child.kill('SIGKILL'));
  await becomes('paused');
  await store.workers.want((await attached()).id, 'working');
  await running();
  expect(await counts()).toMatchObject({ failed: 0 });
  second.child.kill('SIGTERM');
  expect(await second.ended).toBe(0);
});

it.each([
  ['an unreachable database', { DATABASE_URL: 'postgres://127.0.0.1:1/x' }, 1, /DATABASE_URL/],
  ['neither a grid nor a database', {}, 2, /--server: is missing.*DATABASE_URL is not set/],
])('ends with one line for %s', async (_what, env, code, message) => {
  const { ended, stderr } = start(['--device', 'cpu'], env);
  expect(await ended).toBe(code);
  expect(stderr().trimEnd().split('\n')).toHaveLength(1);
  expect(stderr()).toMatch(message);
});

it('ends with one line for an unreachable queue', async () => {
  const { ended, stderr } = start(['--device', 'cpu'], {
    DATABASE_URL: databaseUrl,
    REDIS_URL: 'redis://127.0.0.1:1',
  });
  expect(await ended).toBe(1);
  expect(stderr().trimEnd().split('\n')).toHaveLength(1);
  expect(stderr()).toMatch(/REDIS_URL/);
});

it('ends with one line and code 2 for a device that is not there', async () => {
  const { ended, stderr } = start(['--device', '7'], {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl ?? '',
  });
  expect(await ended).toBe(2);
  expect(stderr()).toMatch(/^error: --device: There is no device 7\. Devices: 0 \(.*\n$/);
});

it.skipIf(redisUrl === null)('serves a queue that is kept in Postgres', async () => {
  const { child, ended } = start(['--device', 'cpu'], { DATABASE_URL: databaseUrl });
  const { device } = await attached();
  const { queue, sweep } = await shortRuns(null);
  await eventually(async () => ((await store.sweeps.get(sweep.id))?.counts.measured ? true : null));
  expect(await queue.depth(device.key)).toBeGreaterThanOrEqual(0);
  await queue.close();
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

it('ends with the npx that started it', async () => {
  const cache = join(folder, '_npx');
  await symlink(dirname(bundle.main), cache);
  const npx =
    "require('node:child_process').spawn(process.execPath, process.argv.slice(1), { stdio: 'inherit' })";
  const program = ['-e', npx, join(cache, basename(bundle.main))];
  const { child, ended } = start(['--device', 'cpu'], { DATABASE_URL: databaseUrl }, program);
  await attached();
  child.kill('SIGKILL');
  // Once nothing has its output open.
  await ended;
  expect(await store.workers.list()).toEqual([]);
});

it.skipIf(redisUrl === null)('signs off and ends when Redis is gone for good', async () => {
  const redis = await startRedis({ dataDir: join(folder, 'redis') });
  const { child, ended, stdout } = start(['--device', 'cpu'], {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis?.url ?? '',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { queue, sweep } = await shortRuns(redis?.url ?? null);
  await queue.close();
  await running(sweep.id);
  await redis?.stop();
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(stdout()).toMatch(/^\d\d:\d\d:\d\d stopped$/m);
  expect(await store.workers.list()).toEqual([]);
});
