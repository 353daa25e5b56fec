import { InputError, kernelOf } from '@tilemark/kernels';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { bringUp, takeDown } from '../../../services.test-helper';
import { leaderboardQuerySchema, type Result } from '../../api/api';
import { deviceKey } from '../../measure/hardware';
import { summarise } from '../../statistics/summary';
import { LimitReached, ServiceUnavailable } from '../errors';
import { bestOf } from '../store/best/tiles.test-helper';
import { NEW_IN_FILES } from '../store/devices/describe';
import {
  attach,
  environment,
  identity,
  kernelRun,
  measured,
  recordAll,
  square,
} from '../store/fixtures.test-helper';
import { testStore } from '../store/store.test-helper';
import { file, importer, key, result, series, withMeasurement } from './bench-file.test-helper';
import { importResults } from './import';

const { store, url } = await testStore();

test('results become a finished sweep, and the board shows them', async () => {
  const at = '2026-11-21T16:21:55.528Z';
  const skipped = result({ outcome: { kind: 'skipped', why: 'too big' }, endedAt: at });
  const done = result({ endedAt: '2026-11-21T16:20:00.000Z' });
  const { id, counts } = await importResults({ store }, file([done, skipped]), importer);
  expect(counts).toMatchObject({ total: 2, pending: 0, measured: 1, skipped: 1 });
  const sweep = await store.sweeps.get(id);
  expect(sweep).toMatchObject({ status: 'done', createdBy: 'reviewer', isImported: true });
  expect(sweep?.measuredAt, 'when its last run ended').toBe(at);
  // Its runs ended before there was a sweep, which cannot end before it begins.
  const { rows } = await store.leaderboard(leaderboardQuerySchema.parse({}));
  expect(rows).toMatchObject([
    { rank: 1, medianNs: 1e6, device: { key }, imported: { by: 'reviewer' } },
  ]);
  const detail = await store.results.get(rows[0]?.resultId ?? '');
  expect(detail).toMatchObject({
    imported: { by: 'reviewer', at: expect.any(String) },
    worker: { name: 'import by reviewer' },
  });
  expect(detail?.address).toMatch(/^matmul\/tiled\[TILE=16,/);
  expect(await store.workers.list()).toEqual([]);
});

test('numbers come back to the last bit', async () => {
  // 17 digits, which a clock that counts in milliseconds gives: 15 are not enough for them.
  const samples = [28762.999999970198, 25678.000000029802, 22704.000000029802];
  const outcome = withMeasurement(25e3, {
    timer: { kind: 'wall', tickNs: 1 },
    cold: summarise(samples),
    hot: null,
    bufferSets: 1,
    stop: 'capped',
  });
  const only = result({ problem: square(48), outcome });
  const { id } = await importResults({ store }, file([only]), importer);
  const [found] = (await store.sweeps.results(id)).items;
  const resultId = found?.resultId ?? '';
  const detail = await store.results.get(resultId);
  expect(detail?.outcome).toMatchObject({ measurement: { cold: summarise(samples) } });
  // From a column of its own.
  const { rows } = await store.leaderboard(leaderboardQuerySchema.parse({ shape: '48' }));
  expect(rows).toMatchObject([{ resultId, medianNs: 25678.000000029802 }]);
});

test('the same file twice is one sweep', async () => {
  const same = file([result({ outcome: series(3e6) })]);
  const first = await importResults({ store }, same, importer);
  expect(first.isNew).toBe(true);
  expect(await importResults({ store }, same, importer)).toEqual({ ...first, isNew: false });
});

test('an untrusted token names a share of devices within a day, and one that is trusted any', async () => {
  const named = (count: number, from = 0) => {
    const names = Array.from({ length: count }, (_, at) => `Named ${from + at}`);
    const results = names.map((name) =>
      result({ device: { key: deviceKey(identity(name)), name, class: 'gpu' } }),
    );
    return { ...file(results), environments: names.map((name) => environment(name)) };
  };
  const by = async (trusted: boolean) => {
    const { id } = await store.tokens.create({
      name: 'x',
      role: 'member',
      expiresAt: null,
      trusted,
    });
    return { name: 'x', role: 'member', tokenId: id } as const;
  };
  const student = await by(false);
  await expect(importResults({ store }, named(NEW_IN_FILES + 1), student)).rejects.toThrow(
    /^Files imported with this token named more than 32 devices new/,
  );
  expect(await store.devices.get(deviceKey(identity('Named 0')))).toBeNull();
  await importResults({ store }, named(NEW_IN_FILES), student);
  // Of what the grid knows, any number; of what is new, no more.
  await importResults({ store }, named(NEW_IN_FILES / 2), student);
  const more = named(1, 100);
  await expect(importResults({ store }, more, student)).rejects.toThrow(LimitReached);
  await importResults({ store }, more, await by(false));
  await importResults({ store }, named(NEW_IN_FILES + 1, 200), await by(true));
});

test('an import is listed as done, and as imported', async () => {
  const { id } = await importResults({ store }, file([result({ outcome: series(4e6) })]), importer);
  for (const state of ['done', 'imported'] as const) {
    const { items } = await store.sweeps.list(undefined, { state });
    expect(items.find((sweep) => sweep.id === id)?.status).toBe('done');
  }
});

test('what a worker of the grid measured is not marked', async () => {
  const { deviceKey: own, workerId } = await attach(store, 'Own');
  await recordAll(store, own, workerId, [[kernelRun(own, 'matmul/naive'), measured(1e6)]]);
  const [best] = await store.devices.best(own);
  expect(best?.imported).toBeNull();
  expect(best?.endedAt).toMatch(/^2026-/);
});

test('a device is known by imports only until a worker serves it', async () => {
  const known = deviceKey(environment('Elsewhere').device);
  const device = { key: known, name: 'Elsewhere', class: 'gpu' } as const;
  await importResults(
    { store },
    { ...file([result({ device })]), environment: environment('Elsewhere') },
    importer,
  );
  expect(await store.devices.get(known)).toMatchObject({ isImportedOnly: true });
  await attach(store, 'Elsewhere');
  expect(await store.devices.get(known)).toMatchObject({ isImportedOnly: false });
});

test('a device that is known keeps its own capabilities', async () => {
  const { deviceKey: known } = await attach(store, 'Known');
  const other = environment('Known');
  const device = { key: known, name: 'Known', class: 'gpu' } as const;
  await importResults(
    { store },
    {
      version: 1,
      environment: { ...other, capabilities: { ...other.capabilities, features: ['shader-f16'] } },
      environments: [],
      results: [result({ device })],
    },
    importer,
  );
  expect((await store.devices.get(known))?.capabilities).toEqual(other.capabilities);
});

test('a less exact kernel is shown, marked, and neither the best nor what to run', async () => {
  const problem = square(96);
  const strassen = { kernel: 'matmul/strassen', tunables: {} };
  const results = [
    result({ problem, outcome: series(2e6) }),
    result({ problem, variant: strassen, outcome: series(1e6) }),
  ];
  await importResults({ store }, file(results), importer);
  const why = expect.stringContaining('3 times the usual error');
  const { rows } = await store.kernelResults({ kernel: strassen.kernel });
  expect(rows).toMatchObject([{ medianNs: 1e6, unranked: why }]);
  const query = leaderboardQuerySchema.parse({ shape: '96' });
  const board = await store.leaderboard(query);
  expect(board.rows).toMatchObject([{ rank: 1, variant: { kernel: 'matmul/tiled' } }]);
  const { variants } = await store.portability(query);
  expect(variants.map(({ address }) => kernelOf(address))).toEqual(['matmul/tiled']);
  const answer = await bestOf(store, { shapes: '96', device: key });
  expect(answer).toMatchObject({ variant: { kernel: 'matmul/tiled' } });
});

test('a class other than that of the known device is refused', async () => {
  const { deviceKey: known } = await attach(store, 'Soft', 'w', 'software');
  const forged = {
    ...file([result({ device: { key: known, name: 'Soft', class: 'software' } })]),
    environment: environment('Soft'),
  };
  await expect(importResults({ store }, forged, importer)).rejects.toMatchObject({
    field: 'results[0].device.class',
  });
});

test.each([
  ['results', []],
  ['results', [result({ outcome: null })]],
  ['results[0].device.key', [result({ device: { key: 'other', name: 'x', class: 'gpu' } })]],
  ['results[1].device.key', [result(), result({ profile: 'fast' })]],
  ['results[0].variant.kernel', [result({ variant: { kernel: 'matmul/none', tunables: {} } })]],
  [
    'results[0].variant.kernel',
    [result({ variant: { kernel: 'matmul/cpu-naive', tunables: {} } })],
  ],
  ['results[0].outcome.kind', [result({ problem: square(65_536) })]],
  ['results[0].endedAt', [result({ endedAt: '2999-01-01T00:00:00.000Z' })]],
  ['results[0].outcome.measurement.policy', [result({ policy: 'smoke' })]],
  [
    'results[2].variant.tunables.TILE',
    [result(), result(), result({ variant: { kernel: 'matmul/tiled', tunables: { TILE: 7 } } })],
  ],
  [
    'results[0].problem.op',
    [
      result({
        problem: { op: 'transpose', shape: { rows: 2, cols: 2 }, dtype: 'f32' },
      }),
    ],
  ],
] as [string, Result[]][])(
  'a fault at %s is named there, and nothing is kept',
  async (field, results) => {
    const before = await store.sweeps.list();
    const error = await importResults({ store }, file(results), importer).catch(
      (each: unknown) => each,
    );
    expect(error).toBeInstanceOf(InputError);
    expect((error as InputError).field).toBe(field);
    expect(await store.sweeps.list()).toEqual(before);
  },
);

test('an import that is cut off leaves nothing behind, and can be brought again', async () => {
  const before = await store.sweeps.list();
  const many = file(
    Array.from({ length: 2_000 }, (_, index) => result({ outcome: series(index + 1) })),
  );
  const other = await heldUp();
  const importing = importResults({ store }, many, importer).catch((error: unknown) => error);
  await vi.waitFor(async () => expect(await other.isAwaited()).toBe(true), { timeout: 30_000 });
  await takeDown(url);
  expect(await importing).toBeInstanceOf(ServiceUnavailable);
  await other.client.end();
  await bringUp(url);
  // Connections of the pool that the outage ended are noticed when they are used.
  expect(await vi.waitFor(() => store.sweeps.list(), { timeout: 60_000 })).toEqual(before);
  for await (const run of store.runs.pending()) expect(run).toBeUndefined();
  const { counts } = await importResults({ store }, many, importer);
  expect(counts).toMatchObject({ total: 2_000, measured: 2_000, pending: 0 });
});

/** A transaction that keeps others from writing the boards' rows, the last that an import writes. */
async function heldUp() {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // it ends with the outage
  await client.connect();
  await client.query('BEGIN; LOCK TABLE "VariantBest" IN EXCLUSIVE MODE');
  const isAwaited = async () => {
    const { rowCount } = await client.query('SELECT FROM pg_locks WHERE NOT granted');
    return (rowCount ?? 0) > 0;
  };
  return { client, isAwaited };
}
