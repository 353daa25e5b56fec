import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GridWorker, HttpLink, type Link, retryForever } from '@tilemark/core';
import { DirectLink, openQueue, openStore } from '@tilemark/core/server';
import { pino } from 'pino';
import { Journal } from '../apps/worker/src/journal/journal';
import { listedAs } from '../apps/worker/src/run/instance';
import { aloneOn } from '../apps/worker/src/run/machine-lock';
import {
  capabilities,
  environment,
  identity,
  measured,
} from '../packages/core/src/server/store/fixtures.test-helper';

/** One process of simulated workers: real ones, with a runner that measures nothing. */
export interface DroneTask {
  /** The device of each worker in this process. */
  readonly devices: readonly number[];
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** How long a run takes, ms. */
  readonly runMs: number;
  /** The site, for workers that know it alone; absent: they use the services. */
  readonly site?: { readonly server: string; readonly token: string };
}

export interface DroneReport {
  /** Heap in use after a full collection, bytes: what grows here is a leak. */
  readonly keptBytes: number;
  /** When its workers asked for a run after the one before, by the clock, and how long they waited. */
  readonly next: readonly (readonly [askedAt: number, waitedMs: number])[];
}

/** A full collection takes a tenth of a second. */
const REPORT_EVERY_MS = 10_000;
const task: DroneTask = JSON.parse(process.argv[2] ?? '{}');

const folder = await mkdtemp(join(tmpdir(), 'tilemark-load-'));
const { site } = task;
const services = site ? null : { store: openStore(task.databaseUrl), queue: openQueue(task) };
let next: [askedAt: number, waitedMs: number][] = [];

/** A worker's link, which notes how long it waits for runs. */
function openLink(): Link {
  const link: Link = services
    ? new DirectLink(services)
    : new HttpLink({ server: new URL(site?.server ?? ''), token: site?.token ?? '' });
  const ask = link.next.bind(link);
  let isBusy = false;
  link.next = async (signal) => {
    const askedAt = Date.now();
    const startMs = performance.now();
    const run = await ask(signal);
    // Who had none before may have waited for somebody to submit one.
    if (run && isBusy) next.push([askedAt, performance.now() - startMs]);
    isBusy = run !== null;
    return run;
  };
  return link;
}

const log = pino({ level: 'silent' });
/** Of the class with the shortest standing suite, which each new device is given. */
const CLASS = 'browser';
/** As a worker's supervisor does: a grid on a busy machine may miss a deadline. */
const TRIES = {
  signal: new AbortController().signal,
  shouldRetry: () => true,
  onFailedAttempt: () => undefined,
};
const workers: GridWorker[] = [];
for (const [at, device] of task.devices.entries()) {
  const name = `Load ${device}`;
  const outcome = measured(1e6 + device);
  const measuredOn = { ...environment(name), device: identity(name, CLASS) };
  const runner = {
    open: async () => ({
      identity: identity(name, CLASS),
      capabilities,
      environment: measuredOn,
      lastLevelCacheBytes: null,
    }),
    run: async () => {
      if (task.runMs > 0) await sleep(task.runMs);
      return { outcome, environment: measuredOn, wgsl: null };
    },
    close: async () => undefined,
  };
  const own = {
    link: openLink(),
    runner,
    log,
    journal: await Journal.open(join(folder, String(at)), log),
    alone: aloneOn(join(folder, `lock-${at}`)),
  };
  const id = randomUUID();
  const attach = () =>
    GridWorker.attach({ ...own, describe: (device) => listedAs(device, { id, number: 1 }) });
  const { worker } = await retryForever(attach, TRIES);
  workers.push(worker);
}

function report(): void {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ keptBytes: heapUsed + external, next } satisfies DroneReport);
  next = [];
}
report();
setInterval(report, REPORT_EVERY_MS).unref();

process.on('SIGTERM', () => {
  void Promise.allSettled(workers.map((worker) => worker.stop()))
    .then(() => Promise.all([services?.queue.close(), services?.store.close()]))
    .then(() => rm(folder, { recursive: true, force: true }))
    .finally(() => process.exit(0));
});
// Runs in its own session, so that Ctrl-C at the terminal does not reach it.
process.on('disconnect', () => process.exit(1));
