import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkBooks } from './books';
import { FaultGrid } from './grid';
import type { Network } from './proxy';

let grid: FaultGrid;
beforeAll(async () => {
  grid = await FaultGrid.start();
  await grid.startWorker({ throughProxies: true });
});
afterAll(() => grid?.close());

/** A network between the worker and its services that is bad for a while, in the middle of a sweep. */
async function through(network: Network, ms: number, where: readonly ('postgres' | 'redis')[]) {
  const sweep = await grid.submit(6);
  await grid.ended(sweep.id, 1);
  const proxies = where.map((each) => (each === 'redis' ? grid.redisProxy : grid.postgresProxy));
  for (const proxy of proxies) proxy.become(network);
  await sleep(ms);
  for (const proxy of proxies) proxy.become('open');
  expect(await checkBooks(grid, sweep)).toMatchObject({ measured: 6 });
}

describe('a network between a worker and its services', () => {
  it('cut to Postgres for 30 s', () => through('cut', 30_000, ['postgres']));
  it('cut to Redis for 30 s', () => through('cut', 30_000, ['redis']));
  it('cut to both for 40 s, after which the worker counts as lost', () =>
    through('cut', 40_000, ['postgres', 'redis']));
  it('half-open for 40 s: nothing arrives and nobody is told', () =>
    through('silent', 40_000, ['postgres', 'redis']));
  it('of 500 ms a round trip, with losses', () => through('slow', 30_000, ['postgres', 'redis']));
});
