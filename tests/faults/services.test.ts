import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkBooks } from './books';
import { FaultGrid, type NewSweep } from './grid';
import { watchLive } from './live-view';
import { until } from './until';

let grid: FaultGrid;
beforeAll(async () => {
  grid = await FaultGrid.start();
  await grid.startWorker();
});
afterAll(() => grid?.close());

/** Sends a sweep through a fault that begins after its first result, and checks the books. */
async function through(fault: (sweep: NewSweep) => Promise<void>, runs = 6): Promise<void> {
  const sweep = await grid.submit(runs);
  const page = watchLive(grid, sweep.id);
  await grid.ended(sweep.id, 1);
  await fault(sweep);
  expect(await checkBooks(grid, sweep)).toMatchObject({ measured: runs });
  await page.finished();
}

describe('Redis', () => {
  it('that does not answer for 30 s delays the runs, and sweeps are still accepted', () =>
    through(async () => {
      const pid = await grid.services.pidOf('redis');
      process.kill(pid, 'SIGSTOP');
      const meanwhile = grid.submit(2, { policy: 'smoke' });
      await sleep(30_000);
      process.kill(pid, 'SIGCONT');
      expect(await checkBooks(grid, await meanwhile)).toMatchObject({ measured: 2 });
    }));

  it('killed and started again 10 s later on its append-only file goes on', () =>
    through(async () => {
      process.kill(await grid.services.pidOf('redis'), 'SIGKILL');
      const meanwhile = await grid.submit(2, { policy: 'smoke' });
      await sleep(10_000);
      await grid.services.startRedis();
      expect(await checkBooks(grid, meanwhile)).toMatchObject({ measured: 2 });
    }));

  it('that lost everything is filled again from the database', () =>
    through(async () => {
      process.kill(await grid.services.pidOf('redis'), 'SIGKILL');
      await sleep(1_000);
      await grid.services.startRedis({ isEmpty: true });
    }));
});

describe('Postgres', () => {
  it('stopped for 60 s: results wait in the journal, the site says 503, and nothing is lost', () =>
    through(async ({ id }) => {
      await grid.services.stopPostgres();
      await until('a result in the journal', async () => (await grid.journal()).length > 0);
      const answer = await grid.fetch(`/api/v1/sweeps/${id}`);
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).not.toBeNull();
      expect((await grid.fetch('/api/v1/health')).status).toBe(503);
      await sleep(60_000);
      await grid.services.startPostgres();
    }));

  it('killed and started again recovers', () =>
    through(async () => {
      process.kill(await grid.services.pidOf('postgres'), 'SIGKILL');
      await sleep(2_000);
      await grid.services.startPostgres();
    }));

  it('that lets nobody else in for 20 s is an outage and no refusal', () =>
    through(async () => {
      await grid.services.sql(
        'ALTER ROLE tilemark CONNECTION LIMIT 0',
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'tilemark'",
      );
      await sleep(20_000);
      await grid.services.sql('ALTER ROLE tilemark CONNECTION LIMIT -1');
    }));

  it('with a full disk takes no result, refuses none for good, and gets them when there is room', async () => {
    const disk = await grid.services.smallDisk();
    try {
      await through(async () => {
        await disk.fill();
        await until('a result in the journal', async () =>
          (await grid.journal()).some((name) => name.endsWith('.json')),
        );
        await sleep(15_000);
        expect(await grid.journal()).not.toContainEqual(expect.stringMatching(/refused$/));
        await disk.clear();
      });
    } finally {
      await disk.remove();
    }
  });
});
