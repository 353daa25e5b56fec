import { afterAll, beforeAll, expect, it } from 'vitest';
import { FaultGrid } from './grid';
import { besiege, faultsOf, readAll } from './hostile';

/** As `npm run bench:hostile`: each kind is answered, and the site goes on. */

let grid: FaultGrid;
beforeAll(async () => {
  grid = await FaultGrid.start();
  await grid.startWorker({ site: grid.url });
});
afterAll(() => grid?.close());

it('hostile bodies are refused, with their reason, and honest runs go on', async () => {
  const seen = await besiege(grid, 120_000);
  expect(faultsOf(seen)).toEqual([]);
  const { answers } = seen;
  const { cut: _, ...series } = answers['samples alike, and rising'] ?? {};
  // Refused with their reason, and told to wait where that goes on.
  expect(Object.keys(series).sort()).toEqual(['409', '413', '429']);
  expect(Object.keys(answers['lists in an import'] ?? {})).toContain('400');
  expect(Object.keys(answers['16 MB in 15 kB'] ?? {})).toContain('413');
  expect(Object.keys(answers['texts of 15 MB'] ?? {})).toContain('413');
  expect(Object.keys(answers['a heartbeat of 10,000 runs'] ?? {})).toContain('400');
  expect(answers['pages of the API']).toHaveProperty('429');
});

it('readers are told when to come back', async () => {
  const seen = await readAll(grid, 60_000);
  expect(faultsOf(seen)).toEqual([]);
  const [all = {}] = Object.values(seen.answers);
  expect(all).toHaveProperty('429');
  expect(all).toHaveProperty('200');
});
