import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkBooks } from './books';
import { FaultGrid } from './grid';
import { watchLive } from './live-view';
import { childrenOf, type Part } from './part';
import { until } from './until';

let grid: FaultGrid;
let worker: Part;
beforeAll(async () => {
  grid = await FaultGrid.start();
  worker = await grid.startWorker();
});
afterAll(() => grid?.close());

/** The process that measures for the worker, once a run is in it. */
const measuring = (of: Part) =>
  until('a device process', async () => (await childrenOf(of.pid))[0]);

describe('a worker', () => {
  it('killed in the middle of a run: another takes the run over, and nothing is lost', async () => {
    const sweep = await grid.submit(8);
    const page = watchLive(grid, sweep.id);
    await grid.ended(sweep.id, 1);
    await worker.end('SIGKILL');
    worker = await grid.startWorker();
    expect(await checkBooks(grid, sweep)).toMatchObject({ measured: sweep.counts.total });
    await page.finished();
  });

  it('killed before a run: the run waits for the next worker', async () => {
    await worker.end('SIGKILL');
    const sweep = await grid.submit(3);
    worker = await grid.startWorker();
    expect(await checkBooks(grid, sweep)).toMatchObject({ measured: 3 });
  });

  it('killed with a result that the database has not got: the next one hands it in', async () => {
    await worker.end('SIGTERM');
    const proxies = await grid.services.proxies();
    worker = await grid.startWorker({ services: proxies.urls });
    const sweep = await grid.submit(3);
    await grid.ended(sweep.id, 1);
    proxies.postgres.become('cut');
    await until('a result in the journal', async () => (await grid.journal()).length > 0);
    await worker.end('SIGKILL');
    proxies.postgres.become('open');
    worker = await grid.startWorker();
    expect(await checkBooks(grid, sweep)).toMatchObject({ measured: 3 });
  });

  it('told to stop, at any moment: it hands back what it has not finished', async () => {
    const sweep = await grid.submit(8);
    for (const afterMs of [0, 150, 400, 900, 1_500, 2_500]) {
      await sleep(afterMs);
      expect(await worker.end('SIGTERM')).toBe(0);
      worker = await grid.startWorker();
    }
    expect(await checkBooks(grid, sweep)).toMatchObject({ measured: sweep.counts.total });
  });

  it('frozen for a minute while another takes its run: one result stands', async () => {
    const sweep = await grid.submit(6);
    await grid.ended(sweep.id, 1);
    const [child = 0] = await childrenOf(worker.pid);
    for (const pid of [worker.pid, child]) process.kill(pid, 'SIGSTOP');
    const other = await grid.startWorker({ folder: await grid.services.ownFolder() });
    await sleep(60_000);
    for (const pid of [worker.pid, child]) process.kill(pid, 'SIGCONT');
    expect(await checkBooks(grid, sweep)).toMatchObject({ measured: 6 });
    await other.end();
  });

  it('beside another of the same device: each run is measured by one of them', async () => {
    const other = await grid.startWorker({ folder: await grid.services.ownFolder() });
    const sweep = await grid.submit(10, { policy: 'smoke' });
    expect(await checkBooks(grid, sweep)).toMatchObject({ measured: 10 });
    await other.end();
  });
});

describe('a device process', () => {
  const kill = async (signal: NodeJS.Signals) => {
    const sweep = await grid.submit(3);
    await grid.ended(sweep.id, 1);
    process.kill(await measuring(worker), signal);
    const counts = await checkBooks(grid, sweep);
    // It may have been hit between two runs, which is nobody's fault.
    expect(counts.measured + counts.failed).toBe(3);
    expect(counts.measured).toBeGreaterThanOrEqual(2);
    return { counts, sweep };
  };

  it('killed: the run says so and can be repeated, the next ones are measured', async () => {
    const { counts, sweep } = await kill('SIGKILL');
    const { retried } = await grid.post<{ retried: number }>(`/api/v1/sweeps/${sweep.id}/retry`);
    expect(retried).toBe(counts.failed);
    expect(await checkBooks(grid, sweep)).toMatchObject({ measured: 3 });
  });

  it('aborted by its driver: the run says so', () => kill('SIGABRT').then(() => undefined));
  it('hung past the watchdog: it is ended, and the run says so', async () => {
    const { counts } = await kill('SIGSTOP');
    expect(counts.failed).toBe(1);
  });
});
