import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkBooks } from './books';
import { FaultGrid } from './grid';
import { watchLive } from './live-view';
import type { Part } from './part';

/** The clocks of the worker and of the site, each by itself: the machine's is not a test's to set. */

const preload = join(import.meta.dirname, 'clock.mjs');
let grid: FaultGrid;
let worker: Part;
beforeAll(async () => {
  grid = await FaultGrid.start();
  await grid.web.end();
  await grid.startWeb({ preload });
  worker = await grid.startWorker({ preload });
});
afterAll(() => grid?.close());

it.each([
  ['a worker', () => worker],
  ['the site', () => grid.web],
])('the clock of %s set an hour ahead, an hour back and right again', async (_whose, part) => {
  const sweep = await grid.submit(8);
  const page = watchLive(grid, sweep.id);
  for (const ended of [1, 3, 5]) {
    await grid.ended(sweep.id, ended);
    part().signal('SIGUSR2');
    // What is made at the wrong time ends too.
    const meanwhile = await grid.submit(1, { policy: 'smoke' });
    expect(await checkBooks(grid, meanwhile)).toMatchObject({ measured: 1 });
  }
  expect(await checkBooks(grid, sweep)).toMatchObject({ measured: 8 });
  await page.finished();
});

it('heartbeats an hour old or an hour ahead, as a clock of the database that was set leaves them', async () => {
  for (const jump of ["- interval '1 hour'", "+ interval '1 hour'"]) {
    const sweep = await grid.submit(3);
    await grid.ended(sweep.id, 1);
    await grid.services.sql(`UPDATE "Worker" SET "lastHeartbeatAt" = now() ${jump}`);
    expect(await checkBooks(grid, sweep)).toMatchObject({ measured: 3 });
  }
});
