import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openQueue, openStore } from '@tilemark/core/server';
import { pino } from 'pino';
// biome-ignore lint/style/noRestrictedImports: the load is made by workers as they ship
import { Journal } from '../apps/worker/src/journal';
// biome-ignore lint/style/noRestrictedImports: the load is made by workers as they ship
import { Worker } from '../apps/worker/src/worker';
import { redisBackend } from '../packages/core/src/server/queue/redis';
import {
  capabilities,
  environment,
  identity,
  measured,
} from '../packages/core/src/server/store/test-fixtures';

/** What one process of the load does: its part of the consumers, or filling bare queues. */
export interface DroneTask {
  readonly kind: 'bare' | 'grid' | 'fill';
  readonly prefix: string;
  /** Over all processes. */
  readonly workers: number;
  readonly devices: number;
  readonly processes: number;
  readonly index: number;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Jobs to fill in. */
  readonly runs?: number;
}

export interface DroneReport {
  readonly ready: boolean;
  /** Runs, or bare jobs, that have ended here. */
  readonly done: number;
  readonly rssBytes: number;
  /** Heap in use after the latest full collection: what is kept, where `rssBytes` holds garbage too. */
  readonly keptBytes: number;
}

const REPORT_EVERY_MS = 100;
/** A full collection takes a tenth of a second. */
const COLLECT_EVERY_MS = 10_000;
const BATCH = 1_000;
/** What the policy `default` takes at least. */
const SAMPLES = 30;
const task: DroneTask = JSON.parse(process.argv[2] ?? '{}');
let done = 0;
let ready = false;
let keptBytes = 0;

const stops: (() => Promise<unknown>)[] = [];
const queueName = (device: number) => `bare.${device}`;
/** The consumers of this process: their devices. */
const devices = Array.from({ length: task.workers }, (_, worker) => worker)
  .filter((worker) => worker % task.processes === task.index)
  .map((worker) => Math.floor(worker / task.processes) * task.processes + task.index)
  .map((worker) => worker % task.devices);

async function consumeBare(): Promise<void> {
  const backend = redisBackend(task.redisUrl, task.prefix, () => undefined);
  for (const device of devices) {
    const { worker, release } = backend.openWorker(
      queueName(device),
      async () => {
        done += 1;
      },
      { concurrency: 1 },
    );
    await worker.waitUntilReady();
    stops.push(() => worker.close().then(release));
  }
  stops.push(() => backend.close());
}

async function fillBare(runs: number): Promise<void> {
  const backend = redisBackend(task.redisUrl, task.prefix, () => undefined);
  const perDevice = Math.ceil(runs / task.devices);
  for (let device = 0; device < task.devices; device++) {
    const queue = backend.openQueue(queueName(device));
    const jobs = Array.from(
      { length: Math.min(perDevice, runs - device * perDevice) },
      (_, job) => ({
        name: 'run',
        data: { runId: `${device}-${job}` },
        opts: { jobId: `${device}-${job}` },
      }),
    );
    for (let at = 0; at < jobs.length; at += BATCH) await queue.addBulk(jobs.slice(at, at + BATCH));
    await queue.close();
  }
  await backend.close();
}

/** Workers as they ship, but for the runner: it answers at once, with a result of as many samples. */
async function consumeGrid(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tilemark-load-'));
  const store = openStore(task.databaseUrl);
  const queue = openQueue({ ...task, prefix: task.prefix });
  const log = pino({ level: 'silent' });
  for (const [at, device] of devices.entries()) {
    const name = `Load ${device}`;
    const outcome = measured(1e6 + device, { samples: SAMPLES });
    const runner = {
      open: async () => ({
        identity: identity(name),
        capabilities,
        environment: environment(name),
        lastLevelCacheBytes: null,
      }),
      run: async () => {
        done += 1;
        return { outcome, environment: environment(name), wgsl: null };
      },
      close: async () => undefined,
    };
    const { worker } = await Worker.attach({
      store,
      queue,
      runner,
      log,
      journal: await Journal.open(join(folder, String(at)), log),
      lockPath: join(folder, `lock-${at}`),
    });
    stops.push(() => worker.stop());
  }
  stops.push(async () => {
    await queue.close();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
}

const report = () =>
  process.send?.({ ready, done, rssBytes: process.memoryUsage.rss(), keptBytes });
setInterval(report, REPORT_EVERY_MS).unref();

function collect(): void {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  keptBytes = heapUsed + external;
}
setInterval(collect, COLLECT_EVERY_MS).unref();

if (task.kind === 'fill') {
  await fillBare(task.runs ?? 0);
  process.exit(0);
}
process.on('SIGTERM', () => {
  const last = stops.pop();
  void Promise.allSettled(stops.map((stop) => stop()))
    .then(() => last?.())
    .finally(() => process.exit(0));
});
// It has a session of its own, so that a Ctrl-C at the terminal does not reach it.
process.on('disconnect', () => process.exit(1));
await (task.kind === 'bare' ? consumeBare() : consumeGrid());
collect();
ready = true;
