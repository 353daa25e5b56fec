import { InputError } from '@tilemark/kernels';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { bringUp, takeDown, testDatabase } from '../../test-services';
import { type BenchFile, bestQuerySchema, leaderboardQuerySchema, type RunResult } from '../api';
import { deviceKey } from '../device';
import { expand } from '../expand';
import { METHODOLOGY_VERSION, type Measurement, type Outcome } from '../outcome';
import { summarise } from '../stats';
import { suiteSpec } from '../suites/registry';
import { DatabaseUnavailable } from './errors';
import { importResults } from './import';
import type { Store } from './store';
import { openStore } from './store/open-store';
import {
  attach,
  environment,
  identity,
  kernelRun,
  measured,
  recordAll,
  square,
} from './store/test-fixtures';

let url: string;
let store: Store;
beforeAll(async () => {
  url = await testDatabase();
  store = openStore(url);
});
afterAll(() => store.close());

/** A measurement as the procedure makes it: its samples are there and its figures theirs. */
const series = (medianNs: number, n = 31): Outcome => {
  const samplesNs = Array.from({ length: n }, (_, i) => medianNs * (1 + (i - (n - 1) / 2) * 1e-4));
  return withMeasurement(medianNs, { cold: summarise(samplesNs) });
};

function withMeasurement(medianNs: number, over: Partial<Measurement>): Outcome {
  const outcome = measured(medianNs);
  if (outcome.kind !== 'measured') throw new TypeError('not measured');
  return { ...outcome, measurement: { ...outcome.measurement, ...over } };
}

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
  outcome: series(1e6),
  rate: null,
  ...over,
});
const file = (results: RunResult[]): BenchFile => ({
  version: 1,
  environment: environment('Bench box'),
  environments: [],
  results,
});
const importer = { name: 'reviewer', role: 'admin' } as const;
const member = { name: 'reviewer', role: 'member' } as const;

test('results become a finished sweep, and the board shows them', async () => {
  const skipped = result({ outcome: { kind: 'skipped', why: 'too big' } });
  const { id, counts } = await importResults({ store }, file([result(), skipped]), importer);
  expect(counts).toMatchObject({ total: 2, pending: 0, measured: 1, skipped: 1 });
  const sweep = await store.sweeps.get(id);
  expect(sweep).toMatchObject({ status: 'done', createdBy: 'reviewer', isImported: true });
  // Its runs ended before there was a sweep, which cannot end before it begins.
  expect(sweep?.finishedAt).toBe(sweep?.createdAt);
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

test('all runs of a suite become a sweep of that suite, which leaves the device to be given it', async () => {
  const spec = suiteSpec('tiled-vs-naive', { n: 64 });
  const runs = expand(spec, [{ key, class: 'gpu' }]);
  const results = runs.map(({ address, problem, variant }) =>
    result({ address, problem, variant }),
  );
  const { id } = await importResults({ store }, file(results), importer);
  const sweep = await store.sweeps.get(id);
  expect(sweep).toMatchObject({
    name: 'Import of Bench box: tiled-vs-naive',
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

test('the same file twice is one sweep', async () => {
  const same = file([result({ outcome: series(3e6) })]);
  const first = await importResults({ store }, same, importer);
  expect(await importResults({ store }, same, importer)).toEqual(first);
});

test('what a worker of the grid measured is not marked', async () => {
  const { deviceKey: own, workerId } = await attach(store, 'Own');
  await recordAll(store, own, workerId, [[kernelRun(own, 'matmul/naive'), measured(1e6)]]);
  const [best] = await store.devices.best(own);
  expect(best?.imported).toBeNull();
  expect(best?.endedAt).toMatch(/^2026-/);
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

describe('what a file says of its own results is worked out again', () => {
  const imported = async (over: Partial<RunResult>) => {
    const { id } = await importResults({ store }, file([result(over)]), importer);
    const { items } = await store.sweeps.results(id);
    return items[0];
  };
  const measurementOf = (each: RunResult | undefined) => {
    if (each?.outcome?.kind !== 'measured') throw new TypeError('not measured');
    return each.outcome.measurement;
  };

  test('the statistics, from the samples', async () => {
    const { cold } = measurementOf(result({ outcome: series(4e6) }));
    const outcome = withMeasurement(4e6, { cold: { ...cold, medianNs: 1, lowNs: 1, cv: 0 } });
    const { n, medianNs, lowNs, highNs, cv } = cold;
    const kept = measurementOf(await imported({ outcome })).cold;
    expect(kept).toMatchObject({ n, medianNs, lowNs, highNs, cv });
  });

  test('whether it is ranked: not with few samples, noise or another clock', async () => {
    const few = series(5e6, 9);
    expect(measurementOf(await imported({ outcome: few })).unranked).toMatch(/^9 samples/);
    const samplesNs = Array.from({ length: 30 }, (_, index) => 6e6 * (1 + 0.2 * (index % 2)));
    const noisy = withMeasurement(6e6, { cold: { ...summarise([6e6]), samplesNs } });
    expect(measurementOf(await imported({ outcome: noisy })).unranked).toMatch(/^noisy/);
    const wall = withMeasurement(7e6, {
      timer: { kind: 'wall', tickNs: 1 },
      cold: measurementOf(result({ outcome: series(7e6) })).cold,
    });
    expect(measurementOf(await imported({ outcome: wall })).unranked).toMatch(/wall clock/);
  });

  test('when it was measured, where the file says', async () => {
    const endedAt = '2026-01-02T03:04:05.000Z';
    expect((await imported({ endedAt, outcome: series(8e6) }))?.endedAt).toBe(endedAt);
  });
});

describe('a result that a member brings', () => {
  const brought = async (device: string, medianNs: number) => {
    const of = { key: deviceKey(identity(device)), name: device, class: 'gpu' } as const;
    const { id } = await importResults(
      { store },
      {
        ...file([result({ device: of, outcome: series(medianNs) })]),
        environment: environment(device),
      },
      member,
    );
    const outcome = (await store.sweeps.results(id)).items[0]?.outcome;
    return outcome?.kind === 'measured' ? outcome.measurement.unranked : 'not measured';
  };

  test('is not ranked while the grid has not measured the device', async () => {
    expect(await brought('Stranger', 1e6)).toMatch(/^imported, and no worker/);
    await attach(store, 'Unsurveyed');
    expect(await brought('Unsurveyed', 1e6)).toMatch(/^imported, and no worker/);
  });

  test('is ranked under the roof that the grid has measured, and not above it', async () => {
    const { deviceKey: surveyed, workerId } = await attach(store, 'Surveyed');
    // 2 * 64^3 operations: 524 ns at this peak.
    const survey = {
      copies: [{ bytes: 2 ** 20, gigabytesPerSecond: 1_000 }],
      lastLevelCacheBytes: null,
      peaks: [{ dtype: 'f32' as const, gigaflopsPerSecond: 1_000 }],
    };
    await store.rooflines.record({ deviceKey: surveyed, profile: 'default', workerId, survey });
    expect(await brought('Surveyed', 1_000)).toBeNull();
    expect(await brought('Surveyed', 100)).toMatch(/^implausible: .* faster than the compute/);
  });
});

const measuredWith = (over: Partial<Measurement>) => [
  result({ outcome: withMeasurement(1e6, { cold: summarise([1e6]), ...over }) }),
];
const wrong = { method: 'whole', worstRatio: 1.01, checked: 1, ns: 1 } as const;
const right = { ...wrong, worstRatio: 1 };
const at = 'results[0].outcome.measurement';

test.each([
  [`${at}.verification.before.worstRatio`, { verification: { before: wrong, after: right } }],
  [`${at}.verification.after.worstRatio`, { verification: { before: right, after: wrong } }],
  [`${at}.methodologyVersion`, { methodologyVersion: METHODOLOGY_VERSION + 1 }],
  [`${at}.stop`, { stop: 'quick' }],
  [`${at}.cold.samplesNs`, { cold: { ...summarise([1]), samplesNs: [] } }],
  [`${at}.cold.samplesNs`, { cold: { ...summarise([1]), samplesNs: [5e-324] } }],
  [`${at}.cold.samplesNs`, { cold: { ...summarise([1]), samplesNs: [1e308, 1.7e308] } }],
  [`${at}.hot.samplesNs`, { hot: { ...summarise([1]), samplesNs: [] } }],
] as [string, Partial<Measurement>][])('%s that cannot be is refused: %j', async (field, over) => {
  await expect(importResults({ store }, file(measuredWith(over)), importer)).rejects.toMatchObject({
    name: 'InputError',
    field,
  });
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
  expect(variants.map(({ address }) => address.split('[')[0])).toEqual(['matmul/tiled']);
  const asked = bestQuerySchema.parse({ m: 96, n: 96, k: 96, device: key });
  expect(await store.best(asked)).toMatchObject({
    variant: { kernel: 'matmul/tiled' },
    // The file does not hold the shader: that it has changed since would be a guess.
    isSourceMeasured: null,
  });
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
] as [string, RunResult[]][])(
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
  const importing = importResults({ store }, many, importer).catch((error: unknown) => error);
  await vi.waitFor(async () => expect(await writing()).toBe(true), {
    timeout: 30_000,
    interval: 5,
  });
  await takeDown(url);
  expect(await importing).toBeInstanceOf(DatabaseUnavailable);
  await bringUp(url);
  expect(await store.sweeps.list()).toEqual(before);
  for await (const run of store.runs.pending()) expect(run).toBeUndefined();
  const { counts } = await importResults({ store }, many, importer);
  expect(counts).toMatchObject({ total: 2_000, measured: 2_000, pending: 0 });
});

/** Whether a transaction has begun to write results. */
async function writing(): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query(`
      SELECT FROM pg_locks JOIN pg_class ON pg_class.oid = relation
      WHERE relname = 'VariantBest' AND mode = 'RowExclusiveLock'`);
    return (rowCount ?? 0) > 0;
  } finally {
    await client.end();
  }
}

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
