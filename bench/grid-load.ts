import { fork } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultGrid, NewSweep } from '../tests/faults/grid';
import type { DroneReport, DroneTask } from './grid-drone';
import { cpuSeconds } from './grid-stats';

export interface Size {
  readonly workers: number;
  readonly devices: number;
  readonly runs: number;
  readonly processes: number;
}

/** The drones stand for other machines: they get what the services leave of this one. */
const LOWEST_PRIORITY = '19';
const PROBE_EVERY_MS = 250;
const BOOKS_EVERY_MS = 250;

/** Twenty variants. */
const TUNABLES = { TILE: [2, 4, 8, 16, 32], A_LAYOUT: ['row', 'col'], B_LAYOUT: ['row', 'col'] };
const VARIANTS = 20;

/** What shares the machine while the grid is loaded. */
export type Part = 'postgres' | 'redis' | 'site' | 'workers';

/** Kinds of request whose latency is watched. */
export type Probe = 'submit' | 'leaderboard';

/** What is done to the grid, and what is read of it meanwhile. */
export class Bench {
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
      const child = fork(new URL('./grid-drone.ts', import.meta.url), [JSON.stringify(given)], {
        execPath: 'nice',
        execArgv: ['-n', LOWEST_PRIORITY, process.execPath, '--expose-gc', ...process.execArgv],
        detached: true,
      });
      // Where Linux shares its time among sessions first, a process is nice to its own session only.
      void writeFile(`/proc/${child.pid}/autogroup`, LOWEST_PRIORITY).catch(() => undefined);
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
      keptMb: () => total((report) => report.keptBytes) / 2 ** 20 / processes,
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

  /**
   * A sweep of so many runs, spread over the devices, as sweeps are: many variants of a kernel on
   * a few shapes.
   */
  submit(runs: number): Promise<NewSweep> {
    const devices = Math.min(this.#size.devices, runs);
    const problems = Math.ceil(runs / devices);
    const shapes = Array.from({ length: Math.ceil(problems / VARIANTS) }, (_, at) => {
      const n = 64 * (at + 1);
      return { m: n, n, k: n };
    });
    const tunables = problems === 1 ? {} : TUNABLES;
    return this.#grid.post('/api/v1/sweeps', {
      name: `${runs} runs`,
      spec: {
        cases: [{ kernel: 'matmul/tiled', tunables, shapes }],
        policy: 'smoke',
        devices: deviceKeys(devices),
      },
    });
  }

  /** Waits until every run of the sweeps has ended, and counts those that were measured. */
  async measured(sweeps: readonly NewSweep[]): Promise<number> {
    let measured = 0;
    for (const { id } of sweeps) {
      await waitFor(async () => (await this.#grid.sweep(id)).status === 'done', BOOKS_EVERY_MS);
      measured += (await this.#grid.sweep(id)).counts.measured;
    }
    return measured;
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

export async function waitFor(
  condition: () => boolean | Promise<boolean>,
  everyMs = 50,
): Promise<void> {
  while (!(await condition())) await sleep(everyMs);
}
