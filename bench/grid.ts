import { writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MAX_RUNS_PER_SWEEP } from '@tilemark/core';
import { build } from '../scripts/start/build';
import { FaultGrid, type NewSweep } from '../tests/faults/grid';
import { countOf, flagsOf } from './flags.mjs';
import { Bench, type Part, type Size, waitFor } from './grid-load';
import { median, perMinute, quantile } from './grid-stats';

/**
 * `npm run bench:grid`: a real grid (Postgres, Redis and the site as `npm start` brings them
 * up) under simulated workers, which are workers in all but that they measure nothing.
 * Bare BullMQ hands the same number of jobs to as many consumers first, in the same run.
 */

const USAGE = `usage: npm run bench:grid -- [--workers 200] [--devices 100] [--runs 100000] [--processes 2] [--json FILE]`;
const flags = flagsOf(USAGE, {
  workers: '200',
  devices: '100',
  runs: '100000',
  processes: '2',
  json: undefined,
});

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const IDLE_PROBES = 40;
const IDLE_BULKS = 3;

async function main(size: Size) {
  await build(fileURLToPath(new URL('..', import.meta.url)));
  const grid = await FaultGrid.start();
  try {
    const bench = new Bench(grid, size);
    say('Consumers and simulated workers have the lowest priority: they are other machines.');
    say('Bare BullMQ ...');
    const bareRate = await bench.bare();

    say('The grid ...');
    const drones = bench.drones({ kind: 'grid', prefix: 'tilemark' });
    await waitFor(() => drones.ready());
    const never = () => false;
    // Something on the board to be read.
    await bench.measured([await bench.submit(size.devices)]);
    const idleMs = await bench.probe('leaderboard', IDLE_PROBES, never);

    const memory: { atMs: number; webMb: number; droneMb: number; droneKeptMb: number }[] = [];
    const bulkMs: number[] = [];
    const cpuBefore = await bench.cpu(drones.pids);
    const startMs = performance.now();
    let isOver = false;
    const load = async () => {
      const sweeps: NewSweep[] = [];
      let asked = 0;
      while (asked < size.runs) {
        const sentMs = performance.now();
        const sweep = await bench.submit(Math.min(MAX_RUNS_PER_SWEEP, size.runs - asked));
        bulkMs.push(performance.now() - sentMs);
        sweeps.push(sweep);
        asked += sweep.counts.total;
      }
      const measured = await bench.measured(sweeps);
      if (measured !== asked) {
        throw new Error(`${asked} runs were asked for, ${measured} measured.`);
      }
      const seconds = (performance.now() - startMs) / 1_000;
      const cpuAfter = await bench.cpu(drones.pids);
      isOver = true;
      return { asked, seconds, cpuAfter };
    };
    const remember = async () => {
      while (!isOver) {
        const webMb = await bench.rssMb();
        const [droneMb, droneKeptMb] = [drones.rssMb(), drones.keptMb()];
        memory.push({ atMs: performance.now() - startMs, webMb, droneMb, droneKeptMb });
        await sleep(1_000);
      }
    };
    const [{ asked, seconds, cpuAfter }, submitMs, boardMs] = await Promise.all([
      load(),
      bench.probe('submit', Number.POSITIVE_INFINITY, () => isOver),
      bench.probe('leaderboard', Number.POSITIVE_INFINITY, () => isOver),
      remember(),
    ]);
    await drones.stop();
    // What the devices are is known; nobody takes the runs.
    const idleBulk: number[] = [];
    for (let turn = 0; turn < IDLE_BULKS; turn++) {
      const sentMs = performance.now();
      await bench.submit(Math.min(MAX_RUNS_PER_SWEEP, size.runs));
      idleBulk.push(performance.now() - sentMs);
    }

    const rate = asked / seconds;
    const later = memory.slice(Math.floor(memory.length / 2));
    const overRun = (of: (sample: (typeof memory)[number]) => number) => ({
      startMb: memory.slice(0, 1).map(of)[0],
      endMb: memory.slice(-1).map(of)[0],
      mbPerMinute: perMinute(later, of),
    });
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
        idleSlowestMs: Math.max(...idleBulk),
        idleMedianMs: median(idleBulk),
        loadedSlowestMs: Math.max(...bulkMs),
        loadedMedianMs: median(bulkMs),
      },
      submit: { n: submitMs.length, p50Ms: median(submitMs), p99Ms: quantile(submitMs, 0.99) },
      leaderboard: {
        n: boardMs.length,
        idleP99Ms: quantile(idleMs, 0.99),
        p99Ms: quantile(boardMs, 0.99),
        idleMedianMs: median(idleMs),
        medianMs: median(boardMs),
        ratio: median(boardMs) / median(idleMs),
      },
      memory: {
        web: overRun((at) => at.webMb),
        worker: overRun((at) => at.droneMb),
        // Heap after a full collection every few seconds: what grows here is a leak.
        workerKept: overRun((at) => at.droneKeptMb),
      },
    };
    say(
      JSON.stringify(
        result,
        (_key, value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value),
        2,
      ),
    );
    if (flags.json) await writeFile(flags.json, `${JSON.stringify(result, null, 2)}\n`);
  } finally {
    await grid.close();
  }
}

await main({
  workers: countOf(flags, 'workers'),
  devices: countOf(flags, 'devices'),
  runs: countOf(flags, 'runs'),
  processes: countOf(flags, 'processes'),
});
