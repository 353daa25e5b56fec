import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkBooks } from './books';
import { FaultGrid } from './grid';
import { makeNamespace } from './namespace';
import type { Part } from './part';
import type { Network } from './proxy';

let grid: FaultGrid;
let worker: Part;
beforeAll(async () => {
  grid = await FaultGrid.start();
});
afterEach(async () => {
  await worker.end();
});
afterAll(() => grid?.close());

/** Sends a sweep through a fault that begins after its first result, and checks the books. */
async function through(fault: () => Promise<void>): Promise<void> {
  const sweep = await grid.submit(6);
  await grid.ended(sweep.id, 1);
  await fault();
  expect(await checkBooks(grid, sweep)).toMatchObject({ measured: 6 });
}

describe('proxies between a worker and its services', () => {
  /** A network that is bad for a while, in the middle of a sweep. */
  async function become(network: Network, ms: number, where: readonly ('postgres' | 'redis')[]) {
    const proxies = await grid.services.proxies();
    worker = await grid.startWorker({ services: proxies.urls });
    await through(async () => {
      for (const each of where) proxies[each].become(network);
      await sleep(ms);
      for (const each of where) proxies[each].become('open');
    });
  }

  it('cut to Postgres for 30 s', () => become('cut', 30_000, ['postgres']));
  it('cut to Redis for 30 s', () => become('cut', 30_000, ['redis']));
  it('cut to both for 40 s, after which the worker counts as lost', () =>
    become('cut', 40_000, ['postgres', 'redis']));
  it('half-open for 40 s: nothing arrives and nobody is told', () =>
    become('silent', 40_000, ['postgres', 'redis']));
  it('of 500 ms a round trip, with losses', () => become('slow', 30_000, ['postgres', 'redis']));
});

it('a cable pulled for 40 s between a worker and its services: the kernel drops every packet', async () => {
  const namespace = await makeNamespace();
  try {
    const { urls } = await grid.services.proxies(namespace.address);
    worker = await grid.startWorker({ services: urls, namespace });
    await through(async () => {
      await namespace.cut();
      await sleep(40_000);
      await namespace.mend();
    });
  } finally {
    await worker.end();
    await namespace.remove();
  }
});
