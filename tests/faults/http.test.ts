import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkBooks } from './books';
import { FaultGrid } from './grid';
import { makeNamespace } from './namespace';
import type { Part } from './part';
import { type Network, startProxy, type TcpProxy } from './proxy';
import { until } from './until';

/** The faults of a worker that knows the site's address alone. */

let grid: FaultGrid;
let worker: Part;
let proxy: TcpProxy;
beforeAll(async () => {
  grid = await FaultGrid.start();
  proxy = await startProxy(Number(new URL(grid.url).port));
});
afterEach(async () => {
  await worker?.end();
});
afterAll(async () => {
  await grid?.close();
  await proxy?.close();
});

const start = async (site = grid.url) => {
  worker = await grid.startWorker({ site });
};

/** Sends a sweep through a fault that begins after its first result, and checks the books. */
async function through(fault: () => Promise<void>): Promise<void> {
  const sweep = await grid.submit(6);
  await grid.ended(sweep.id, 1);
  await fault();
  expect(await checkBooks(grid, sweep)).toMatchObject({ measured: 6 });
}

it('site killed -9 in mid-run and started again after half a minute', async () => {
  await start();
  await through(async () => {
    await grid.web.end('SIGKILL');
    await sleep(30_000);
    await grid.startWeb();
  });
});

it.each([
  ['restarted', false],
  ['restarted, with nothing of what it had', true],
])('Redis %s', async (_how, isEmpty) => {
  await start();
  await through(async () => {
    await grid.services.stopRedis();
    await sleep(5_000);
    await grid.services.startRedis({ isEmpty });
  });
});

it('Postgres restarted', async () => {
  await start();
  await through(async () => {
    await grid.services.stopPostgres();
    await sleep(5_000);
    await grid.services.startPostgres();
  });
});

describe('the network between worker and site', () => {
  it.each([
    ['cut', 30_000],
    ['silent', 40_000],
    ['slow', 30_000],
  ] as [Network, number][])('is %s for %i ms', async (network, ms) => {
    await start(`http://127.0.0.1:${proxy.port}`);
    await through(async () => {
      proxy.become(network);
      await sleep(ms);
      proxy.become('open');
    });
  });

  it('is a cable that is pulled for 40 s', async () => {
    const namespace = await makeNamespace();
    const door = await startProxy(Number(new URL(grid.url).port), namespace.address);
    try {
      const site = `http://${namespace.address}:${door.port}`;
      worker = await grid.startWorker({ site, namespace });
      await through(async () => {
        await namespace.cut();
        await sleep(40_000);
        await namespace.mend();
      });
    } finally {
      await worker.end();
      await door.close();
      await namespace.remove();
    }
  });
});

describe('a worker', () => {
  it('killed -9 in mid-run: the next one takes its run over', async () => {
    await start();
    await through(async () => {
      await worker.end('SIGKILL');
      await start();
    });
  });

  it('told to stop, again and again: it hands back what it has not finished', async () => {
    await start();
    await through(async () => {
      for (const afterMs of [0, 400, 1_500]) {
        await sleep(afterMs);
        expect(await worker.end('SIGTERM')).toBe(0);
        await start();
      }
    });
  });

  it('killed -9 with a result that the site has not got: the next one hands it in', async () => {
    await start(`http://127.0.0.1:${proxy.port}`);
    await through(async () => {
      // Cut between two runs, it would have none to end.
      await until('a run in its hand', async () => {
        const { items } = await grid.json<{ items: { run: unknown }[] }>('/api/v1/workers');
        return items.some(({ run }) => run !== null);
      });
      await sleep(200);
      proxy.become('cut');
      await until('a result in the journal', async () => (await grid.journal()).length > 0);
      await worker.end('SIGKILL');
      proxy.become('open');
      await start();
    });
  });

  it('revoked in mid-run: it stops within 10 s, and another goes on', async () => {
    const { secret } = await grid.post<{ secret: string }>('/api/v1/tokens', {
      ...{ name: 'w', role: 'worker', trusted: true },
    });
    const folder = await grid.services.ownFolder();
    const revoked = await grid.startWorker({ site: grid.url, token: secret, folder });
    await through(async () => {
      const { items } = await grid.json<{ items: { id: string; token: string }[] }>(
        '/api/v1/workers',
      );
      const id = items.find(({ token }) => token === 'w')?.id;
      await grid.fetch(`/api/v1/workers/${id}`, { method: 'DELETE' });
      expect(await revoked.ended).toBe(3);
      expect(await revoked.log()).toContain('This worker was revoked.');
      await start();
    });
  });
});
