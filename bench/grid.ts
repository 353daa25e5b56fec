import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { deviceKey, MAX_RUNS_PER_SWEEP } from '@tilemark/core';
import { identity } from '../packages/core/src/server/store/fixtures.test-helper';
import { build } from '../scripts/start/build';
import { FaultGrid, type NewSweep } from '../tests/faults/grid';
import { cpuSeconds } from './cpu';
import { countOf, flagsOf } from './flags';
import type { DroneReport, DroneTask } from './grid-drone';

/**
 * `npm run bench:grid`: a real grid (Postgres, Redis and the site, started as by `npm start`) with
 * simulated workers, which do everything except measure: on the services themselves, or over http.
 * With `--run-ms` they take that long for a run, so that how long they wait for the next one, and
 * whether memory stays flat, are those of a grid whose workers are busy. Fails unless every run was
 * measured.
 */

const USAGE = `usage: npm run bench:grid -- [--workers 200] [--devices 100] [--runs 100000] [--processes 2] [--link direct|http] [--run-ms 0] [--json FILE]`;
const flags = flagsOf(USAGE, {
  workers: '200',
  devices: '100',
  runs: '100000',
  processes: '2',
  link: 'direct',
  'run-ms': '0',
  json: undefined,
});
if (flags.link !== 'direct' && flags.link !== 'http') throw new Error(USAGE);
const size = {
  workers: countOf(flags, 'workers'),
  devices: countOf(flags, 'devices'),
  runs: countOf(flags, 'runs'),
  processes: countOf(flags, 'processes'),
};

/** How long a worker takes for a run, ms; 0: the workers divide what the machine leaves them. */
const runMs = Number(flags['run-ms']);
if (!Number.isInteger(runMs) || runMs < 0) throw new Error(USAGE);

/** The workers stand for other machines, so they get only the CPU time that the services leave. */
const LOWEST_PRIORITY = '19';
const PROBE_EVERY_MS = 250;
/** A look at a sweep counts its runs, at a cost to the database of its own. */
const LOOK_EVERY_MS = 2_000;
const IDLE_PROBES = 40;
const MEMORY_EVERY_MS = 5_000;

const TUNABLES = { TILE: [2, 4, 8, 16, 32], A_LAYOUT: ['row', 'col'], B_LAYOUT: ['row', 'col'] };
const VARIANTS = 20;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

interface Drone {
  readonly child: ChildProcess;
  /** Null until its workers are attached. */
  keptBytes: number | null;
  readonly next: DroneReport['next'][number][];
}

/** Starts the processes of the workers, and waits until all of them are attached. */
async function startDrones({ services, token, url }: FaultGrid): Promise<Drone[]> {
  const { databaseUrl, redisUrl } = services;
  const site = flags.link === 'http' && { site: { server: url, token } };
  const drones = Array.from({ length: size.processes }, (_, index) => {
    const own = Array.from({ length: size.workers }, (_, worker) => worker);
    const devices = own
      .filter((worker) => worker % size.processes === index)
      .map((worker) => worker % size.devices);
    const task: DroneTask = { devices, databaseUrl, redisUrl, runMs, ...site };
    const child = fork(new URL('./grid-drone.ts', import.meta.url), [JSON.stringify(task)], {
      execPath: 'nice',
      execArgv: ['-n', LOWEST_PRIORITY, process.execPath, '--expose-gc', ...process.execArgv],
      detached: true,
    });
    // If Linux divides CPU time among sessions first, niceness counts only within a session.
    void writeFile(`/proc/${child.pid}/autogroup`, LOWEST_PRIORITY).catch(() => undefined);
    const drone: Drone = { child, keptBytes: null, next: [] };
    child.on('message', ({ keptBytes, next }: DroneReport) => {
      drone.keptBytes = keptBytes;
      drone.next.push(...next);
    });
    return drone;
  });
  while (drones.some(({ keptBytes }) => keptBytes === null)) {
    if (drones.some(({ child }) => child.exitCode !== null)) throw new Error('A drone ended.');
    await sleep(50);
  }
  return drones;
}

/**
 * Submits a sweep of `runs` runs spread over the devices, with many variants of a kernel on a few
 * shapes, as is typical.
 */
function submit(grid: FaultGrid, runs: number): Promise<NewSweep> {
  const devices = Math.min(size.devices, runs);
  const problems = Math.ceil(runs / devices);
  const shapes = Array.from({ length: Math.ceil(problems / VARIANTS) }, (_, at) => {
    const n = 64 * (at + 1);
    return { m: n, n, k: n };
  });
  return grid.post('/api/v1/sweeps', {
    name: `${runs} runs`,
    spec: {
      cases: [{ kernel: 'matmul/tiled', tunables: problems === 1 ? {} : TUNABLES, shapes }],
      devices: Array.from({ length: devices }, (_, at) => deviceKey(identity(`load_${at}`))),
    },
  });
}

/** Waits until the sweeps are done; throws Error unless all of their runs were measured. */
async function allMeasured(grid: FaultGrid, sweeps: readonly NewSweep[]): Promise<number> {
  let total = 0;
  for (const { id } of sweeps) {
    while ((await grid.sweep(id)).status !== 'done') await sleep(LOOK_EVERY_MS);
    const { counts } = await grid.sweep(id);
    if (counts.measured !== counts.total) {
      throw new Error(`${counts.measured} of ${counts.total} runs of sweep ${id} were measured.`);
    }
    total += counts.total;
  }
  return total;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** Times one request after another until `isOver`. */
async function probe(work: () => Promise<unknown>, isOver: (n: number) => boolean) {
  const timesMs: number[] = [];
  while (!isOver(timesMs.length)) {
    timesMs.push(await timed(work));
    await sleep(PROBE_EVERY_MS);
  }
  return timesMs;
}

function latencies(timesMs: readonly number[]) {
  const sorted = timesMs.toSorted((a, b) => a - b);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
  return { n: sorted.length, medianMs: at(0.5), p99Ms: at(0.99), slowestMs: sorted.at(-1) };
}

/** CPU time used so far, s. */
async function cpu({ services, web }: FaultGrid) {
  return {
    postgres: await cpuSeconds(await services.pidOf('postgres')),
    redis: await cpuSeconds(await services.pidOf('redis')),
    site: await cpuSeconds(web.pid),
  };
}

interface MemoryMb {
  readonly atMs: number;
  /** Resident memory of the site. */
  readonly site: number;
  /** The mean heap of a process of workers. */
  readonly workersKept: number;
}

async function memoryMb(grid: FaultGrid, drones: readonly Drone[]): Promise<MemoryMb> {
  const status = await readFile(`/proc/${grid.web.pid}/status`, 'utf8');
  const kept = drones.reduce((sum, { keptBytes }) => sum + (keptBytes ?? 0), 0);
  return {
    atMs: performance.now(),
    site: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024,
    workersKept: kept / 2 ** 20 / drones.length,
  };
}

/** `perMinute`: by the least squares of the second half; the first warms caches up. */
function trend(samples: readonly MemoryMb[], part: 'site' | 'workersKept') {
  const half = samples.slice(Math.floor(samples.length / 2));
  const mean = (of: (each: MemoryMb) => number) =>
    half.reduce((sum, each) => sum + of(each), 0) / half.length;
  const [atMs, mb] = [mean((each) => each.atMs), mean((each) => each[part])];
  const spread = mean((each) => (each.atMs - atMs) ** 2);
  const perMs = mean((each) => (each.atMs - atMs) * (each[part] - mb)) / spread;
  return { first: samples[0]?.[part], last: samples.at(-1)?.[part], perMinute: perMs * 60_000 };
}

await build(fileURLToPath(new URL('..', import.meta.url)));
const grid = await FaultGrid.start();
try {
  const drones = await startDrones(grid);
  const board = () => grid.json('/api/v1/leaderboard');
  // So that the leaderboard has something to show.
  await allMeasured(grid, [await submit(grid, size.devices)]);
  const idleBoardMs = await probe(board, (n) => n === IDLE_PROBES);

  const load = async () => {
    const sweeps: NewSweep[] = [];
    const bulkMs: number[] = [];
    const startMs = performance.now();
    for (let left = size.runs; left > 0; left -= sweeps.at(-1)?.counts.total ?? left) {
      const runs = Math.min(MAX_RUNS_PER_SWEEP, left);
      bulkMs.push(await timed(async () => sweeps.push(await submit(grid, runs))));
    }
    const runs = await allMeasured(grid, sweeps);
    return { runs, bulkMs, seconds: (performance.now() - startMs) / 1_000 };
  };

  print(`${size.runs} runs ...`);
  const memory: MemoryMb[] = [];
  const watchMemory = async (isOver: () => boolean) => {
    for (; !isOver(); await sleep(MEMORY_EVERY_MS)) memory.push(await memoryMb(grid, drones));
  };
  const cpuBefore = await cpu(grid);
  const loadedAt = Date.now();
  let isOver = false;
  const watching = watchMemory(() => isOver);
  const { runs, bulkMs, seconds } = await load();
  isOver = true;
  const overAt = Date.now();
  const cpuAfter = await cpu(grid);
  memory.push(await memoryMb(grid, drones));
  await watching;
  const cpuMs = (part: keyof typeof cpuAfter) =>
    ((cpuAfter[part] - cpuBefore[part]) * 1_000) / runs;

  const underLoad = async () => {
    print(`${size.runs} runs, with others asking ...`);
    let isDone = false;
    const [submitMs, boardMs] = await Promise.all([
      probe(
        () => submit(grid, 1),
        () => isDone,
      ),
      probe(board, () => isDone),
      load().finally(() => {
        isDone = true;
      }),
    ]);
    const leaderboard = { idle: latencies(idleBoardMs), loaded: latencies(boardMs) };
    return { submit: latencies(submitMs), leaderboard };
  };
  // Apart from the first load: these requests cost the services time of their own.
  const asked = runMs === 0 && (await underLoad());
  for (const { child } of drones) {
    child.kill('SIGTERM');
    await once(child, 'close');
  }

  const result = {
    machine: {
      cpu: cpus()[0]?.model ?? '',
      cores: cpus().length,
      memoryGb: Math.round(totalmem() / 2 ** 30),
      node: process.version,
    },
    loadAverage: loadavg()[0],
    size: { ...size, runs, runMs },
    link: flags.link,
    runsPerSecond: runs / seconds,
    cpuMsPerRun: {
      ...{ postgres: cpuMs('postgres'), redis: cpuMs('redis'), site: cpuMs('site') },
      services: cpuMs('postgres') + cpuMs('redis') + cpuMs('site'),
    },
    /**
     * From asking for a run of the load, after the one before, to having it. A device's last
     * workers wait for the next load, which is nobody's latency.
     */
    next: latencies(
      drones
        .flatMap(({ next }) => next)
        .flatMap(([askedAt, waitedMs]) =>
          askedAt < loadedAt || askedAt + waitedMs > overAt ? [] : [waitedMs],
        ),
    ),
    bulkSubmit: { runs: Math.min(MAX_RUNS_PER_SWEEP, size.runs), ...latencies(bulkMs) },
    ...asked,
    memoryMb: {
      minutes: seconds / 60,
      site: trend(memory, 'site'),
      workersKept: trend(memory, 'workersKept'),
    },
  };
  const rounded = (_key: string, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(4)) : value;
  print(JSON.stringify(result, rounded, 2));
  if (flags.json) await writeFile(flags.json, `${JSON.stringify(result, null, 2)}\n`);
} finally {
  await grid.close();
}
