import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import { checkBooks } from './books';
import { FaultGrid } from './grid';
import { watchLive } from './live-view';

/** The short form: the faults that happen most, all of them over one sweep. */

let grid: FaultGrid;
beforeAll(async () => {
  grid = await FaultGrid.start();
});
afterAll(() => grid?.close());

it('a sweep comes through the death of each part and outages of both services', async () => {
  onTestFailed(async () => void process.stderr.write(await grid.logs()));
  const worker = await grid.startWorker();
  const sweep = await grid.submit(4);
  const page = watchLive(grid, sweep.id);
  await grid.ended(sweep.id, 1);
  // First, since it takes longest to be noticed: up to a minute.
  await worker.end('SIGKILL');
  await grid.startWorker();

  const redis = await grid.services.pidOf('redis');
  process.kill(redis, 'SIGSTOP');
  await sleep(3_000);
  process.kill(redis, 'SIGCONT');

  await grid.web.end('SIGKILL');
  await grid.services.stopPostgres();
  await sleep(3_000);
  await grid.services.startPostgres();
  await grid.startWeb();

  expect(await checkBooks(grid, sweep)).toMatchObject({ measured: sweep.counts.total });
  await page.finished();
});
