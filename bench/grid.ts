import { fork } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { constants, cpus, setPriority, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MAX_RUNS_PER_SWEEP } from '@tilemark/core';
import { build } from '../scripts/start/build';
import { FaultGrid } from '../tests/faults/grid';
import type { DroneReport, DroneTask } from './grid-drone';
import { cpuSeconds, median, perMinute, quantile } from './grid-stats';

/**
 * `npm run bench:grid`: a real grid (Postgres, Redis and the site as `npm start` brings them
 * up) under simulated workers, which are workers in all but that they measure nothing.
 * Bare BullMQ hands the same number of jobs to as many consumers first, in the same run.
 */

const USAGE = `Usage: npm run bench:grid -- [--workers 200] [--devices 100] [--runs 100000] [--processes 2] [--json FILE]`;
const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '200' },
    devices: { type: 'string', default: '100' },
    runs: { type: 'string', default: '100000' },
    processes: { type: 'string', default: '2' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

interface Size {
  readonly workers: number;
  readonly devices: number;
  readonly runs: number;
  readonly processes: number;
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const LOW_PRIORITY = constants.priority.PRIORITY_BELOW_NORMAL;
const PROBE_EVERY_MS = 250;
const IDLE_PROBES = 40;

/** What shares the machine while the grid is loaded. */
type Part = 'postgres' | 'redis' | 'site' | 'workers';

/** Kinds of request whose latency is watched. */
type Probe = 'submit' | 'leaderboard';

class Bench {
  readonly #grid: FaultGrid;
  readonly #size: Size;

  constructor(grid: FaultGrid, size: Size) {
    this.#grid = grid;
    this.#size = size;
  }

  /** Starts the processes that hold the consumers; they begin at once. */
  drones(task: Pick<DroneTask, 'kind' | 'prefix'>) {
    const { devices, processes, workers } = this.#size;
    const { databaseUrl, redisUrl } = this.#grid.services;
    const reports = new Map<number, DroneReport>();
    const children = Array.from({ length: processes }, (_, index) => {
      const given: DroneTask = {
        ...task,
        devices,
        workers,
        processes,
        index,
        databaseUrl,
        redisUrl,
      };
      const child = fork(new URL('./grid-drone.ts', import.meta.url), [JSON.stringify(given)]);
      // It stands for other machines, which take no time from the site's.
      setPriority(child.pid ?? 0, LOW_PRIORITY);
      child.on('message', (report: DroneReport) => reports.set(index, report));
      return child;
    });
    const total = (of: (report: DroneReport) => number) =>
      [...reports.values()].reduce((sum, report) => sum + of(report), 0);
    return {
      ready: () => reports.size === processes && [...reports.values()].every((each) => each.ready),
      done: () => total((report) => report.done),
      pids: children.map((child) => child.pid ?? 0),
      rssMb: () => total((report) => report.rssBytes) / 2 ** 20 / processes,
      stop: async () => {
        await Promise.all(
          children.map((child) => {
            const ended = new Promise((resolve) => child.once('close', resolve));
            child.kill('SIGTERM');
            return ended;
          }),
        );
      },
    };
  }

  /** Jobs a second of BullMQ alone: the same jobs, queues and consumers, and nothing done. */
  async bare(): Promise<number> {
    const drones = this.drones({ kind: 'bare', prefix: 'bare' });
    await waitFor(() => drones.ready());
    const startMs = performance.now();
    const filler = fork(new URL('./grid-drone.ts', import.meta.url), [
      JSON.stringify({
        ...this.#size,
        kind: 'fill',
        prefix: 'bare',
        index: 0,
        databaseUrl: this.#grid.services.databaseUrl,
        redisUrl: this.#grid.services.redisUrl,
      } satisfies DroneTask & { runs: number }),
    ]);
    await new Promise((resolve) => filler.once('close', resolve));
    await waitFor(() => drones.done() >= this.#size.runs);
    const seconds = (performance.now() - startMs) / 1_000;
    await drones.stop();
    return this.#size.runs / seconds;
  }

  /** Latencies of a request, one after the other until told to stop. */
  async probe(kind: Probe, count: number, isOver: () => boolean): Promise<number[]> {
    const latenciesMs: number[] = [];
    while (latenciesMs.length < count && !isOver()) {
      const startMs = performance.now();
      if (kind === 'submit') await this.submit(1);
      else await this.#grid.json('/api/v1/leaderboard');
      latenciesMs.push(performance.now() - startMs);
      await sleep(PROBE_EVERY_MS);
    }
    return latenciesMs;
  }

  /** A sweep of so many runs, spread over the devices. */
  submit(runs: number): Promise<{ id: string; counts: { total: number } }> {
    const devices = Math.min(this.#size.devices, runs);
    const shapes = Math.ceil(runs / devices);
    const perCase = 50;
    const cases = Array.from({ length: Math.ceil(shapes / perCase) }, (_, at) => ({
      kernel: 'matmul/tiled',
      shapes: Array.from({ length: Math.min(perCase, shapes - at * perCase) }, (_shape, s) => ({
        m: 64 + at,
        n: 64 + s,
        k: 64,
      })),
    }));
    return this.#grid.post('/api/v1/sweeps', {
      name: `${runs} runs`,
      spec: { cases, policy: 'smoke', devices: deviceKeys(devices) },
    });
  }

  /** CPU time that each part has had, s. */
  async cpu(drones: readonly number[]): Promise<Record<Part, number>> {
    const of = async (pids: readonly number[]) =>
      (await Promise.all(pids.map(cpuSeconds))).reduce((sum, seconds) => sum + seconds, 0);
    return {
      postgres: await of([await this.#grid.services.pidOf('postgres')]),
      redis: await of([await this.#grid.services.pidOf('redis')]),
      site: await of([this.#grid.web.pid]),
      workers: await of(drones),
    };
  }

  async rssMb(): Promise<number> {
    const status = await readFile(`/proc/${this.#grid.web.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
  }
}

const deviceKeys = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `acme-anvil-load_${at}-vulkan-dawn`);

async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(50);
}

async function main(size: Size) {
  await build(fileURLToPath(new URL('..', import.meta.url)));
  const grid = await FaultGrid.start();
  try {
    const bench = new Bench(grid, size);
    say('Bare BullMQ ...');
    const bareRate = await bench.bare();

    say('The grid ...');
    const drones = bench.drones({ kind: 'grid', prefix: 'tilemark' });
    await waitFor(() => drones.ready());
    const never = () => false;
    const idleMs = await bench.probe('leaderboard', IDLE_PROBES, never);

    const memory: { atMs: number; webMb: number; droneMb: number }[] = [];
    const bulkMs: number[] = [];
    const before = drones.done();
    const cpuBefore = await bench.cpu(drones.pids);
    const startMs = performance.now();
    let isOver = false;
    const probes = Promise.all([
      bench.probe('submit', Number.POSITIVE_INFINITY, () => isOver),
      bench.probe('leaderboard', Number.POSITIVE_INFINITY, () => isOver),
    ]);
    const remember = (async () => {
      while (!isOver) {
        const webMb = await bench.rssMb();
        memory.push({ atMs: performance.now() - startMs, webMb, droneMb: drones.rssMb() });
        await sleep(1_000);
      }
    })();
    let asked = 0;
    while (asked < size.runs) {
      const sentMs = performance.now();
      const { counts } = await bench.submit(Math.min(MAX_RUNS_PER_SWEEP, size.runs - asked));
      bulkMs.push(performance.now() - sentMs);
      asked += counts.total;
    }
    await waitFor(() => drones.done() - before >= asked);
    const seconds = (performance.now() - startMs) / 1_000;
    const cpuAfter = await bench.cpu(drones.pids);
    isOver = true;
    const [submitMs, boardMs] = await probes;
    await remember;
    await drones.stop();

    const rate = asked / seconds;
    const later = memory.slice(Math.floor(memory.length / 2));
    const result = {
      machine: {
        cpu: cpus()[0]?.model ?? '',
        cores: cpus().length,
        memoryGb: Math.round(totalmem() / 2 ** 30),
        node: process.version,
      },
      size: { ...size, runs: asked },
      throughput: {
        runsPerSecond: rate,
        bareJobsPerSecond: bareRate,
        ratio: rate / bareRate,
        seconds,
      },
      cpuMsPerRun: Object.fromEntries(
        Object.entries(cpuAfter).map(([part, after]) => [
          part,
          ((after - cpuBefore[part as Part]) * 1_000) / asked,
        ]),
      ),
      bulkSubmit: {
        runs: Math.min(MAX_RUNS_PER_SWEEP, size.runs),
        slowestMs: Math.max(...bulkMs),
        medianMs: median(bulkMs),
      },
      submit: { n: submitMs.length, p50Ms: median(submitMs), p99Ms: quantile(submitMs, 0.99) },
      leaderboard: {
        n: boardMs.length,
        idleMedianMs: median(idleMs),
        medianMs: median(boardMs),
        ratio: median(boardMs) / median(idleMs),
      },
      memory: {
        web: {
          startMb: memory[0]?.webMb,
          endMb: memory.at(-1)?.webMb,
          mbPerMinute: perMinute(later, (at) => at.webMb),
        },
        worker: {
          startMb: memory[0]?.droneMb,
          endMb: memory.at(-1)?.droneMb,
          mbPerMinute: perMinute(later, (at) => at.droneMb),
        },
      },
    };
    say(
      JSON.stringify(
        result,
        (_key, value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value),
        2,
      ),
    );
    if (values.json) await writeFile(values.json, `${JSON.stringify(result, null, 2)}\n`);
  } finally {
    await grid.close();
  }
}

if (values.help) say(USAGE);
else {
  await main({
    workers: Number(values.workers),
    devices: Number(values.devices),
    runs: Number(values.runs),
    processes: Number(values.processes),
  });
}
