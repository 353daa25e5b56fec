import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { call, gridOfFile } from '../grid.test-helper';

/** The results that ship in docs/results/ranked, on a grid that has nothing else. */

const { send } = gridOfFile('admin');

const folder = new URL('../../../../../docs/results/ranked/', import.meta.url);

it.each(readdirSync(folder))('every result of %s is ranked', async (name) => {
  const file = JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
  const imported = await (await send('POST /results/import', file)).json();
  const kept = await call('GET /sweeps/{id}/results', { params: imported, query: '?all=1' });
  const { items }: { items: { outcome: { measurement: { unranked: string | null } } }[] } =
    await kept.json();
  expect(items).toHaveLength(file.results.length);
  expect(items.filter(({ outcome }) => outcome.measurement.unranked !== null)).toEqual([]);
  const { op, dtype, shape } = file.results[0].problem;
  const sides = Object.values(shape).join('x');
  const board = await call('GET /leaderboard', {
    query: `?op=${op}&dtype=${dtype}&shape=${sides}`,
  });
  expect(await board.json()).toMatchObject({
    rows: [{ device: { name: 'NVIDIA H200' }, unranked: null }],
  });
});
