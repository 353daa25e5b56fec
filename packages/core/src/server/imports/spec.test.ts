import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../services.test-helper';
import { expand } from '../../plan/expansion';
import { suiteSpec } from '../../suites/suites';
import type { RunResult } from '../../view/api';
import type { Store } from '../store/store';
import { openStore } from '../store/store';
import { file, importer, key, result } from './bench-file.test-helper';
import { importResults } from './import';

let store: Store;
beforeAll(async () => {
  store = openStore(await testDatabase());
});
afterAll(() => store.close());

test('all runs of a suite become a sweep of that suite, which leaves the device to be given it', async () => {
  const spec = suiteSpec('tiled-vs-naive', { n: 64 });
  const runs = expand(spec, [{ key, class: 'gpu' }]);
  const results = runs.map(({ address, problem, variant }) =>
    result({ address, problem, variant }),
  );
  const { id } = await importResults({ store }, file(results), importer);
  const sweep = await store.sweeps.get(id);
  expect(sweep).toMatchObject({
    name: 'Import of Bench box: tiled-vs-naive, 64',
    suite: 'tiled-vs-naive@1',
    spec: { cases: spec.cases, devices: [key] },
  });
  expect(await store.sweeps.ofSuite('tiled-vs-naive@1', key)).toEqual([]);
  const part = await importResults({ store }, file(results.slice(1)), importer);
  expect(await store.sweeps.get(part.id)).toMatchObject({
    name: expect.stringMatching(/^Import of Bench box: matmul\//),
    suite: null,
  });
});

test('a sweep has inputs of one regime, which its runs keep', async () => {
  const problem = { op: 'matmul', shape: { m: 64, n: 64, k: 64 }, dtype: 'f32' } as const;
  const large = result({ problem: { ...problem, regime: 'large' } });
  const { id } = await importResults({ store }, file([large]), importer);
  expect((await store.sweeps.get(id))?.spec.regime).toBe('large');
  expect((await store.sweeps.results(id)).items[0]?.problem).toEqual(large.problem);
  const mixed = importResults({ store }, file([large, result({ problem })]), importer);
  await expect(mixed).rejects.toThrow('import one file for each');
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
  const specOf = async (results: RunResult[]) => {
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
