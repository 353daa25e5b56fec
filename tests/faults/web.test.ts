import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openQueue } from '@tilemark/core/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkBooks } from './books';
import { FaultGrid, type FaultSweep } from './grid';
import { watchLive } from './live-view';
import { until } from './until';

let grid: FaultGrid;
beforeAll(async () => {
  grid = await FaultGrid.start();
  await grid.startWorker();
});
afterAll(() => grid?.close());

it('a site killed while sweeps are submitted leaves each of them whole or not at all', async () => {
  const [device = ''] = await grid.deviceKeys();
  const runs = 2_000;
  const spec = {
    cases: Array.from({ length: runs / 50 }, (_, at) => ({
      kernel: 'matmul/cpu-naive',
      shapes: Array.from({ length: 50 }, (_shape, s) => ({ m: 8 + at, n: 8 + s, k: 8 })),
    })),
    policy: 'smoke',
    devices: [device],
  };
  for (const afterMs of [20, 80, 200, 500, 1_000]) {
    const submitted = grid
      .post('/api/v1/sweeps', { name: `cut ${afterMs}`, spec })
      .catch(() => null);
    await sleep(afterMs);
    await grid.web.end('SIGKILL');
    await submitted;
    await grid.startWeb();
  }
  const { items } = await grid.json<{ items: (FaultSweep & { name: string })[] }>('/api/v1/sweeps');
  const cut = items.filter(({ name }) => name.startsWith('cut'));
  for (const { counts } of cut) expect(counts.total).toBe(runs);
  // What has a row gets a job, whether or not the site lived to enqueue it.
  const queue = openQueue(grid.services);
  await until('a job for every run that waits', async () => {
    const jobs = (await queue.runIds(device)).size;
    const { items: now } = await grid.json<{ items: FaultSweep[] }>('/api/v1/sweeps');
    const waiting = now.reduce((sum, { counts }) => sum + counts.pending, 0);
    // One may be in hand.
    return Math.abs(waiting - jobs) <= 1;
  });
  for (const { id } of cut) await grid.post(`/api/v1/sweeps/${id}/cancel`);
  await until('no job of a cancelled sweep', async () => (await queue.runIds(device)).size === 0);
  await queue.close();
});

it('jobs without a row are dropped', async () => {
  const [deviceKey = ''] = await grid.deviceKeys();
  const queue = openQueue(grid.services);
  await queue.enqueue(Array.from({ length: 20 }, () => ({ id: randomUUID(), deviceKey })));
  await until('no job', async () => (await queue.depth(deviceKey)) === 0);
  await queue.close();
  const sweep = await grid.submit(2, { policy: 'smoke' });
  expect(await checkBooks(grid, sweep)).toMatchObject({ measured: 2 });
});

it('a site killed while a page watches: the page joins again and misses nothing', async () => {
  const sweep = await grid.submit(6);
  const page = watchLive(grid, sweep.id);
  await grid.ended(sweep.id, 1);
  await grid.web.end('SIGKILL');
  await sleep(3_000);
  await grid.startWeb();
  expect(await checkBooks(grid, sweep)).toMatchObject({ measured: 6 });
  await page.finished();
});
