import { afterAll, beforeAll, expect, it } from 'vitest';
import { FaultGrid } from './grid';
import { besiege, faultsOf, readAll } from './hostile';
import { besiegeDoors } from './hostile-doors';

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
  expect(Object.keys(answers['lists in an import'] ?? {})).toContain('413');
  expect(Object.keys(answers['16 MB in 15 kB'] ?? {})).toContain('413');
  expect(Object.keys(answers['texts of 15 MB'] ?? {})).toContain('413');
  expect(Object.keys(answers['a heartbeat of 10,000 runs'] ?? {})).toContain('400');
  // More at once than a site lets wait, however fast its machine is.
  const pages = Array.from({ length: 60 }, (_, at) =>
    fetch(new URL(`/docs/api?z=${at}`, grid.url)),
  );
  expect((await Promise.all(pages)).map(({ status }) => status)).toContain(429);
});

it('readers are told when to come back', async () => {
  const seen = await readAll(grid, 60_000);
  expect(faultsOf(seen)).toEqual([]);
  const [all = {}] = Object.values(seen.answers);
  expect(all).toHaveProperty('429');
  expect(all).toHaveProperty('200');
});

it('nobody is kept out by what others hold, invent, or guess', async () => {
  const seen = await besiegeDoors(grid, 60_000);
  expect(faultsOf(seen)).toEqual([]);
  const { answers } = seen;
  for (const name of ['seat', 'invite']) {
    expect(answers[`invented devices of ${name === 'seat' ? 'a' : 'an'} ${name}`]).toHaveProperty(
      '429',
    );
  }
  expect(answers['320 streams of strangers']).toHaveProperty('429');
  expect(answers['guesses at tokens, in chunks']).toHaveProperty('429');
});
