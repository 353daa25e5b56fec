import { InputError } from '@tilemark/kernels';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../test-services';
import { type BenchFile, leaderboardQuerySchema, type RunResult } from '../api';
import { deviceKey } from '../device';
import { importResults } from './import';
import type { Store } from './store';
import { openStore } from './store/open-store';
import { environment, identity, measured, square } from './store/test-fixtures';

let store: Store;
beforeAll(async () => {
  store = openStore(await testDatabase());
});
afterAll(() => store.close());

const key = deviceKey(identity('Bench box'));
const result = (over: Partial<RunResult> = {}): RunResult => ({
  runId: 'local',
  resultId: null,
  variant: { kernel: 'matmul/tiled', tunables: { TILE: 16 } },
  address: 'whatever the file says',
  problem: square(64),
  device: { key, name: 'Bench box', class: 'gpu' },
  profile: 'default',
  policy: 'default',
  outcome: measured(1e6),
  rate: null,
  ...over,
});
const file = (results: RunResult[]): BenchFile => ({
  version: 1,
  environment: environment('Bench box'),
  environments: [],
  results,
});
const importer = { name: 'reviewer' };

test('results become a finished sweep, and the board shows them', async () => {
  const skipped = result({ outcome: { kind: 'skipped', why: 'too big' } });
  const { id, counts } = await importResults({ store }, file([result(), skipped]), importer);
  expect(counts).toMatchObject({ total: 2, pending: 0, measured: 1, skipped: 1 });
  expect(await store.sweeps.get(id)).toMatchObject({ status: 'done', createdBy: 'reviewer' });
  const { rows } = await store.leaderboard(leaderboardQuerySchema.parse({}));
  expect(rows).toMatchObject([{ rank: 1, medianNs: 1e6, device: { key } }]);
  const detail = await store.results.get(rows[0]?.resultId ?? '');
  expect(detail?.worker.name).toBe('import by reviewer');
  expect(detail?.address).toMatch(/^matmul\/tiled\[TILE=16,/);
  expect(await store.workers.list()).toEqual([]);
});

test('the same file twice is one sweep', async () => {
  const same = file([result({ outcome: measured(3e6) })]);
  const first = await importResults({ store }, same, importer);
  expect(await importResults({ store }, same, importer)).toEqual(first);
});

test.each([
  ['results', []],
  ['results', [result({ outcome: null })]],
  ['results[0].device.key', [result({ device: { key: 'other', name: 'x', class: 'gpu' } })]],
  ['results[1].device.key', [result(), result({ profile: 'fast' })]],
  ['results[0].variant.kernel', [result({ variant: { kernel: 'matmul/none', tunables: {} } })]],
  [
    'results[0].problem.op',
    [
      result({
        problem: { op: 'transpose', shape: { rows: 2, cols: 2 }, dtype: 'f32' },
      }),
    ],
  ],
] as [string, RunResult[]][])('a fault at %s is named there', async (field, results) => {
  const error = await importResults({ store }, file(results), importer).catch(
    (each: unknown) => each,
  );
  expect(error).toBeInstanceOf(InputError);
  expect((error as InputError).field).toBe(field);
});
