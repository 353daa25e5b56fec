import { expect, test } from 'vitest';
import type { Result } from '../../api/api';
import { testStore } from '../store/store.test-helper';
import { file, importer, key, result } from './bench-file.test-helper';
import { importResults } from './import';

const { store } = await testStore();

test('a sweep is of the suite that its file names, which leaves the device to be given it', async () => {
  const suite = 'tiled-vs-naive@1';
  const { id } = await importResults({ store }, { ...file([result()]), suite }, importer);
  expect(await store.sweeps.get(id)).toMatchObject({
    name: 'Import of Bench box: tiled-vs-naive, 64',
    suite,
    spec: { devices: [key] },
  });
  expect(await store.sweeps.ofSuite(suite, key)).toEqual([]);
  const other = { ...file([result()]), suite: 'of a later release@1' };
  const unknown = await importResults({ store }, other, importer);
  expect(await store.sweeps.get(unknown.id)).toMatchObject({
    name: 'Import of Bench box: matmul/tiled, 64',
    suite: null,
  });
});

test('a sweep has problems of one epilogue, which its runs keep', async () => {
  const problem = { op: 'matmul', shape: { m: 64, n: 64, k: 64 }, dtype: 'f32' } as const;
  const fused = result({ problem: { ...problem, epilogue: 'bias' } });
  const { id } = await importResults({ store }, file([fused]), importer);
  expect((await store.sweeps.get(id))?.spec.epilogue).toBe('bias');
  const mixed = importResults({ store }, file([fused, result({ problem })]), importer);
  await expect(mixed).rejects.toThrow('problems of several epilogues: import one file for each');
});

test('the sweep asks for what the file holds: its variants, problems and devices', async () => {
  const tiled = (tunables: Record<string, string | number>) =>
    result({ variant: { kernel: 'matmul/tiled', tunables } });
  const specOf = async (results: Result[]) => {
    const { id } = await importResults({ store }, file(results), importer);
    return (await store.sweeps.get(id))?.spec;
  };
  const every = await specOf([tiled({ TILE: 8 }), tiled({ TILE: 16 }), tiled({ TILE: 32 })]);
  expect(every?.cases).toMatchObject([{ tunables: { TILE: [8, 16, 32] } }]);
  expect(every?.devices).toEqual([key]);
  // Two of four combinations: one case would ask for the other two as well.
  const some = await specOf([
    tiled({ TILE: 8, A_LAYOUT: 'row' }),
    tiled({ TILE: 16, A_LAYOUT: 'col' }),
  ]);
  expect(some?.cases).toMatchObject([
    { tunables: { TILE: [8], A_LAYOUT: ['row'] } },
    { tunables: { TILE: [16], A_LAYOUT: ['col'] } },
  ]);
});
