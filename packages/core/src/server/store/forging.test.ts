import { InputError } from '@tilemark/kernels';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { execute, testDatabase } from '../../../services.test-helper';
import { Refused } from '../../link/link';
import { deviceKey } from '../../measure/device';
import { METHODOLOGY_VERSION, type Measurement, type Outcome } from '../../measure/outcome';
import type { RooflineSurvey } from '../../measure/roofline';
import type { PlannedRun } from '../../plan/expansion';
import { summarise } from '../../statistics/summary';
import { type BestQuery, bestQuerySchema, leaderboardQuerySchema } from '../../view/api';
import { file, result } from '../imports/bench-file.test-helper';
import { importResults } from '../imports/import';
import {
  attach,
  capabilities,
  environment,
  failed,
  identity,
  kernelRun,
  measured,
  noise,
  planned,
  recorded,
  square,
  sweepOf,
} from './fixtures.test-helper';
import { openStore, type Store } from './store';

/**
 * Attempts to put a number first that is not true, through every door: a worker of a stranger's
 * token, a file that a member brings, and one that an admin does. Each ends refused, unranked, or
 * marked as unconfirmed.
 */

let url: string;
let store: Store;
/** Tokens of two strangers who may attach workers, and of a member. */
let mallory: string;
let victor: string;
let member: string;
/** A device that the operator's worker has attached and surveyed. */
let name: string;
let key: string;
let surveyor: string;
let count = 0;

beforeAll(async () => {
  url = await testDatabase();
  store = openStore(url);
  const token = async (role: 'worker' | 'member') =>
    (await store.tokens.create({ name: role, role, expiresAt: null })).id;
  [mallory, victor, member] = [await token('worker'), await token('worker'), await token('member')];
});
afterAll(() => store.close());

/** 64^3 takes 524 ns at this peak, and 49 ns at this bandwidth. */
const survey: RooflineSurvey = {
  copies: [{ bytes: 2 ** 28, gigabytesPerSecond: 1_000 }],
  lastLevelCacheBytes: null,
  peaks: [{ dtype: 'f32', gigaflopsPerSecond: 1_000 }],
};

beforeEach(async () => {
  name = `Device ${++count}`;
  const { deviceKey: of, workerId } = await attach(store, name, 'own');
  [key, surveyor] = [of, workerId];
  await store.rooflines.record({ deviceKey: key, profile: 'default', workerId, survey });
});

/** A measurement with noise that no other has. */
function honest(medianNs: number, over: Partial<Measurement> = {}): Outcome {
  const outcome = measured(medianNs);
  if (outcome.kind !== 'measured') throw new TypeError('not measured');
  const { dispatchesPerSample: k } = outcome.measurement;
  const samples = noise(128, ++count).map(
    (part) => Math.round(medianNs * k * (1 + part / 1e3)) / k,
  );
  const cold = summarise(samples);
  // Some noise looks as if it depended on itself, and a series of it would have gone on.
  const isKnown = (cold.independent ?? 0) >= 50;
  const { measurement } = outcome;
  return {
    kind: 'measured',
    measurement: {
      ...measurement,
      cold,
      hot: null,
      bufferSets: 1,
      stop: isKnown ? measurement.stop : 'capped',
      verification: { ...measurement.verification, seed: 1 },
      ...over,
    },
  };
}

const measurementOf = (outcome: Outcome): Measurement => {
  if (outcome.kind !== 'measured') throw new TypeError('not measured');
  return outcome.measurement;
};

/** Hands an outcome in as the worker of a token (null: the operator's), an hour after claiming. */
async function byWorker(
  tokenId: string | null,
  outcome: Outcome,
  over: Partial<ReturnType<typeof recorded>> = {},
  held = '1 hour',
  run = planned(key),
) {
  const { workerId } = await store.workers.attach({
    name: `of ${tokenId}`,
    host: 'h',
    version: '0',
    capabilities,
    identity: identity(name),
    ...(tokenId !== null && { tokenId }),
  });
  const { id, runIds } = await sweepOf(store, [run]);
  await store.runs.claim(runIds[0] ?? '', workerId);
  await execute(
    url,
    `UPDATE "Run" SET "seed" = 1, "claimedAt" = now() - interval '${held}' WHERE "id" = '${runIds[0]}'`,
  );
  await store.runs.record({ ...recorded(runIds[0] ?? '', workerId, outcome, name), ...over });
  return (await store.sweeps.results(id)).items[0];
}

const byFile = (role: 'member' | 'admin') => async (outcome: Outcome) => {
  const device = { key, name, class: 'gpu' } as const;
  const { id } = await importResults(
    { store },
    { ...file([result({ device, outcome })]), environment: environment(name) },
    { name: role, role, tokenId: member },
  );
  return (await store.sweeps.results(id)).items[0];
};

const DOORS = [
  ['a worker', (outcome: Outcome) => byWorker(mallory, outcome)],
  ["a member's file", byFile('member')],
  ["an admin's file", byFile('admin')],
] as const;

const board = async () =>
  (await store.leaderboard(leaderboardQuerySchema.parse({ shape: '64' }))).rows.find(
    (row) => row.device.key === key,
  );

const refusalOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'kept',
    (error: unknown) =>
      error instanceof InputError || error instanceof Refused ? error.field : error,
  );

const edited = (over: Partial<Measurement['cold']>): Outcome => {
  const outcome = honest(10_000);
  const { cold } = measurementOf(outcome);
  return {
    kind: 'measured',
    measurement: { ...measurementOf(outcome), cold: { ...cold, ...over } },
  };
};
const ofSamples = (samplesNs: number[], over: Partial<Measurement> = {}): Outcome =>
  honest(10_000, { cold: summarise(samplesNs), ...over });
const halves = () => {
  const half = measurementOf(honest(10_000)).cold.samplesNs.slice(0, 64);
  return [...half, ...half];
};

describe.each(DOORS)('%s is refused', (_, bring) => {
  test.each<[string, string, () => Outcome]>([
    ['an edited median', 'cold.medianNs', () => edited({ medianNs: 5_000 })],
    ['an edited minimum', 'cold.minNs', () => edited({ minNs: 5_000 })],
    ['a narrower interval', 'cold.lowNs', () => edited({ lowNs: 9_999.99 })],
    ['more samples than there are', 'cold.n', () => edited({ n: 500 })],
    ['samples equal to the last digit', 'cold.samplesNs', () => ofSamples(Array(128).fill(10_000))],
    ['one half of the samples twice', 'cold.samplesNs', () => ofSamples(halves())],
    [
      'times between the ticks',
      'cold.samplesNs',
      () => ofSamples(measurementOf(honest(10_000)).cold.samplesNs.map((ns) => ns * 1.000_123_4)),
    ],
    [
      'a series that had not converged',
      'stop',
      () =>
        ofSamples(measurementOf(honest(10_000)).cold.samplesNs.slice(0, 5), { stop: 'converged' }),
    ],
    [
      'a wrong result as measured',
      'verification.after.worstRatio',
      () =>
        honest(10_000, {
          verification: {
            before: { method: 'whole', worstRatio: 0, checked: 1, ns: 1 },
            after: { method: 'whole', worstRatio: 2, checked: 1, ns: 1 },
          },
        }),
    ],
    [
      'a version to come',
      'methodologyVersion',
      () => honest(10_000, { methodologyVersion: METHODOLOGY_VERSION + 1 }),
    ],
    ["another policy's measurement", 'policy', () => honest(10_000, { policy: 'smoke' })],
  ])('for %s', async (_name, field, outcome) => {
    expect(await refusalOf(bring(outcome()))).toContain(field);
    expect(await board()).toBeUndefined();
  });

  test("for another's samples", async () => {
    const outcome = honest(10_000);
    await byWorker(victor, outcome);
    const before = await board();
    expect(await refusalOf(bring(outcome))).toContain('cold.samplesNs');
    expect(await board()).toEqual(before);
  });
});

describe.each(DOORS)('%s gets no rank', (_, bring) => {
  test.each<[string, () => Outcome]>([
    ['faster than the device can be', () => honest(200)],
    [
      'faster than it can be, under a roof of its own',
      () => honest(200, { roof: { ns: 1, bound: 'compute' } }),
    ],
    ['by a clock that shows a tenth of the time', () => honest(1_000 / 10)],
    ['by products in f16 that claim to be f32', () => honest(524 / 2)],
  ])('%s', async (_name, outcome) => {
    const kept = await bring(outcome());
    expect(measurementOf(kept!.outcome!).unranked).toMatch(/^implausible/);
    expect(await board()).toMatchObject({ rank: null, confirmation: null });
  });
});

describe('a worker of a token is refused', () => {
  const outcome = () => honest(10_000);

  test('a result of another device, another profile, or one that was not claimed', async () => {
    const other = environment('Another');
    const profile = { ...environment(name), profile: 'fast' as const };
    expect(await refusalOf(byWorker(mallory, outcome(), { environment: other }))).toBe(
      'environment.device',
    );
    expect(await refusalOf(byWorker(mallory, outcome(), { environment: profile }))).toBe(
      'environment.profile',
    );
    const { workerId } = await attach(store, 'Elsewhere');
    const { runIds } = await sweepOf(store, [planned(key)]);
    const foreign = recorded(runIds[0] ?? '', workerId, outcome(), name);
    expect(await refusalOf(store.runs.record(foreign))).toBe('run');
    const own = await store.workers.attach({
      name: 'x',
      host: 'h',
      version: '0',
      capabilities,
      tokenId: mallory,
      identity: identity(name),
    });
    const unclaimed = recorded(runIds[0] ?? '', own.workerId, outcome(), name);
    expect(await refusalOf(store.runs.record(unclaimed))).toBe('run');
    await store.runs.claim(runIds[0] ?? '', surveyor);
    for (const each of [unclaimed, { ...unclaimed, outcome: failed }]) {
      expect(await refusalOf(store.runs.record(each))).toBe('run');
    }
  });

  test('samples that last longer than it had the run', async () => {
    const field = await refusalOf(byWorker(mallory, outcome(), {}, '100 milliseconds'));
    expect(field).toBe('outcome.measurement.cold.samplesNs');
  });

  test('a proof on inputs of its own choice, and a rank without one', async () => {
    const { verification } = measurementOf(outcome());
    const chosen = honest(10_000, { verification: { ...verification, seed: 2 } });
    const field = await refusalOf(byWorker(mallory, chosen));
    expect(field).toBe('outcome.measurement.verification.seed');
    const { seed: _, ...unsaid } = verification;
    const kept = await byWorker(mallory, honest(10_000, { verification: unsaid }));
    expect(measurementOf(kept!.outcome!).unranked).toMatch(/on which inputs/);
  });

  test('a rank for another shader', async () => {
    const kept = await byWorker(mallory, outcome(), { wgsl: '// copies the answer' });
    expect(measurementOf(kept!.outcome!).unranked).toMatch(/another shader/);
  });
});

describe('first place', () => {
  test('of a stranger is unconfirmed, however often the same token repeats it', async () => {
    await byWorker(mallory, honest(10_000));
    await byWorker(mallory, honest(10_010));
    expect(await board()).toMatchObject({ unranked: null, confirmation: 'unconfirmed' });
  });

  test("of a member's file is unconfirmed", async () => {
    await byFile('member')(honest(10_000));
    expect(await board()).toMatchObject({ unranked: null, confirmation: 'unconfirmed' });
  });

  test("of the operator's worker, and of an admin's file, needs nobody else", async () => {
    await byWorker(null, honest(10_000));
    expect(await board()).toMatchObject({ unranked: null, confirmation: 'confirmed' });
    expect(await byFile('admin')(honest(9_000))).toMatchObject({ confirmedBy: 'the operator' });
    expect(await board()).toMatchObject({
      medianNs: expect.closeTo(9_000, -2),
      confirmation: 'confirmed',
    });
  });

  test('is confirmed by the machine of another token within 2%, and not beyond', async () => {
    await byWorker(mallory, honest(10_000));
    await byWorker(victor, honest(10_500));
    expect(await board()).toMatchObject({ confirmation: 'unconfirmed' });
    await byWorker(victor, honest(10_150));
    expect(await board()).toMatchObject({ confirmation: 'confirmed' });
  });

  test('is confirmed by an admin', async () => {
    const kept = await byWorker(mallory, honest(10_000));
    const confirmed = await store.results.confirm(kept?.resultId ?? '', 'Ada');
    expect(confirmed).toMatchObject({ confirmedBy: 'admin Ada' });
    expect(await board()).toMatchObject({ confirmation: 'confirmed' });
    expect(await store.results.confirm('00000000-0000-7000-8000-000000000000', 'Ada')).toBeNull();
  });

  test('is not taken from a confirmed result by one that nobody confirms', async () => {
    await byWorker(null, honest(10_000));
    const fake = await byWorker(mallory, honest(6_000));
    expect(await board()).toMatchObject({
      medianNs: expect.closeTo(10_000, -2),
      confirmation: 'confirmed',
    });
    expect(await board()).toMatchObject({ invocations: 1 });
    // Confirmed, it counts: one of two invocations, of which the slower is named.
    await store.results.confirm(fake?.resultId ?? '', 'Ada');
    expect(await board()).toMatchObject({
      medianNs: expect.closeTo(10_000, -2),
      invocations: 2,
      confirmation: 'confirmed',
    });
  });
});

describe('what to run', () => {
  const asked = (over: Partial<BestQuery> = {}) =>
    store.best(bestQuerySchema.parse({ m: 64, n: 64, k: 64, device: key, ...over }));
  const naive = (on = key) => kernelRun(on, 'matmul/naive');
  /** Under a policy that is never ranked, which no roof bounds. */
  const quick = (n: number): [PlannedRun, Outcome] => {
    const run = { ...kernelRun(key, 'matmul/naive', square(n)), policy: 'screen' as const };
    const outcome = honest(700 + n, { policy: 'screen', stop: 'quick', hot: null });
    return [run, outcome];
  };

  test('is not decided by a stranger on the device of another', async () => {
    await byWorker(null, honest(10_000));
    const kept = await byWorker(mallory, honest(700), {}, '1 hour', naive());
    expect(measurementOf(kept!.outcome!).unranked).toBeNull();
    const found = { address: expect.stringMatching(/tiled/), unconfirmed: false };
    expect(await asked()).toMatchObject(found);
    // Nor for a shape that nobody else has measured.
    await byWorker(mallory, honest(40_000), {}, '1 hour', {
      ...naive(),
      ...kernelRun(key, 'matmul/naive', square(256)),
    });
    expect(await asked({ m: 256, n: 256, k: 256 })).toMatchObject(found);
    // Confirmed, it decides.
    await store.results.confirm(kept?.resultId ?? '', 'Ada');
    expect(await asked()).toMatchObject({ address: expect.stringMatching(/naive/) });
  });

  test('is not decided by what a stranger screened, fast or slow', async () => {
    await byWorker(null, honest(10_000));
    for (const n of [64, 128, 256, 512]) {
      const [run, outcome] = quick(n);
      await byWorker(mallory, outcome, {}, '1 hour', run);
    }
    expect(await asked()).toMatchObject({ address: expect.stringMatching(/tiled/) });
    expect(await asked({ m: 128, n: 128, k: 128 })).toMatchObject({
      address: expect.stringMatching(/tiled/),
      prediction: null,
    });
  });

  test('is not decided for others by a card that is there for its inventor alone', async () => {
    await byWorker(null, honest(10_000));
    name = `Invented ${++count}`;
    const invented = { ...identity(name), vendor: `vendor-${count}` };
    const { deviceKey: of, workerId } = await store.workers.attach({
      name: 'm',
      host: 'h',
      version: '0',
      capabilities,
      tokenId: mallory,
      identity: invented,
    });
    const { runIds } = await sweepOf(store, [naive(of)]);
    await store.runs.claim(runIds[0] ?? '', workerId);
    await execute(
      url,
      `UPDATE "Run" SET "seed" = 1, "claimedAt" = now() - interval '1 hour' WHERE "id" = '${runIds[0]}'`,
    );
    const record = recorded(runIds[0] ?? '', workerId, honest(10), name);
    const environmentOf = { ...record.environment, device: invented };
    expect(await store.runs.record({ ...record, environment: environmentOf })).toMatchObject({
      recorded: true,
    });
    const others = { address: expect.stringMatching(/tiled/), unconfirmed: false };
    const { vendor } = invented;
    expect(await asked({ device: undefined, vendor })).toMatchObject(others);
    expect(await asked({ device: undefined })).toMatchObject(others);
    // It decides for itself.
    const own = { address: expect.stringMatching(/naive/), unconfirmed: false };
    expect(await asked({ device: of })).toMatchObject({ ...own, fallback: 'device' });
  });

  test('says so where nothing else is known', async () => {
    const before = { store, url };
    url = await testDatabase();
    store = openStore(url);
    try {
      const token = { name: 'm', role: 'worker', expiresAt: null } as const;
      const { id: tokenId } = await store.tokens.create(token);
      await byWorker(tokenId, honest(10_000), {}, '1 hour', planned(key));
      expect(await asked()).toMatchObject({ fallback: 'device', unconfirmed: false });
      const others = { fallback: 'overall', unconfirmed: true };
      expect(await asked({ device: undefined })).toMatchObject(others);
    } finally {
      await store.close();
      ({ store, url } = before);
    }
  });
});

describe('the device of another', () => {
  const stranger = (over: Partial<ReturnType<typeof identity>> = {}) =>
    store.workers.attach({
      name: 'm',
      host: 'h',
      version: '0',
      tokenId: mallory,
      capabilities: { ...capabilities, maxComputeInvocationsPerWorkgroup: 1 },
      identity: { ...identity(name), ...over },
    });

  test('keeps its description and its class', async () => {
    const before = await store.devices.get(key);
    const attached = await stranger({ device: name.toUpperCase() });
    expect(attached.deviceKey).toBe(key);
    const after = await store.devices.get(key);
    expect(after).toMatchObject({ name, capabilities: before!.capabilities, class: 'gpu' });
    await expect(stranger({ class: 'cpu' })).rejects.toMatchObject({ field: 'identity.class' });
  });

  test('belongs to whoever attached it first, and to the operator at last', async () => {
    name = `Found ${++count}`;
    key = (await stranger()).deviceKey;
    const seen = async () =>
      (await store.devices.get(key))?.capabilities.maxComputeInvocationsPerWorkgroup;
    await store.workers.attach({
      name: 'v',
      host: 'h',
      version: '0',
      capabilities,
      tokenId: victor,
      identity: identity(name),
    });
    expect(await seen()).toBe(1);
    await attach(store, name, 'own');
    expect(await seen()).toBe(capabilities.maxComputeInvocationsPerWorkgroup);
    await stranger();
    expect(await seen()).toBe(capabilities.maxComputeInvocationsPerWorkgroup);
  });

  test('keeps its roof, be the other higher or lower', async () => {
    const { workerId } = await stranger();
    const faked = (part: number): RooflineSurvey => ({
      copies: [{ bytes: 2 ** 28, gigabytesPerSecond: 1_000 * part }],
      lastLevelCacheBytes: null,
      peaks: [{ dtype: 'f32', gigaflopsPerSecond: 1_000 * part }],
    });
    for (const part of [0.1, 10]) {
      const of = { deviceKey: key, profile: 'default' as const, workerId };
      await store.rooflines.record({ ...of, survey: faked(part) });
      expect(await store.rooflines.latest(key)).toMatchObject([survey]);
    }
    const elsewhere = {
      deviceKey: deviceKey(identity('One')),
      profile: 'default' as const,
      workerId,
    };
    expect(await refusalOf(store.rooflines.record({ ...elsewhere, survey }))).toBe('deviceKey');
  });

  test.each<[string, Outcome]>([
    ['failed', failed],
    ['skipped', { kind: 'skipped', why: 'not today' }],
  ])('has no runs %s by it while a machine of its own party is there', async (kind, ended) => {
    const { id, runIds } = await sweepOf(store, [planned(key)]);
    const runId = runIds[0] ?? '';
    const { workerId } = await stranger();
    await store.runs.claim(runId, workerId);
    const failure = recorded(runId, workerId, ended, name);
    expect(await store.runs.record(failure)).toEqual({ recorded: false });
    expect((await store.sweeps.get(id))?.counts).toMatchObject({ pending: 1, [kind]: 0 });
    // Nor does the stranger get it again.
    expect(await store.runs.claim(runId, workerId)).toBeNull();
    expect(await store.runs.claim(runId, surveyor)).toMatchObject({ id: runId });
    await store.runs.record(recorded(runId, surveyor, ended, name));
    expect((await store.sweeps.get(id))?.counts).toMatchObject({ [kind]: 1 });
  });

  test("has the spread of its operator's repeats, not of a stranger's", async () => {
    const repeat = async (tokenId: string | null, run: PlannedRun) => {
      for (let index = 0; index < 10; index++) {
        await byWorker(tokenId, honest(index % 2 ? 1.3e6 : 1e6), {}, '1 hour', run);
      }
    };
    const spread = () => store.devices.spread(key, METHODOLOGY_VERSION);
    await repeat(mallory, planned(key, { problem: square(128) }));
    expect((await spread()).isShown).toBe(false);
    await repeat(null, planned(key, { problem: square(256) }));
    expect((await spread()).isShown).toBe(true);
  });

  test('is not made to look unusual', async () => {
    for (let each = 0; each < 6; each++) await byWorker(mallory, honest(90_000 + each));
    const own = await byWorker(null, honest(10_000));
    expect((await store.results.get(own?.resultId ?? ''))?.outlier).toBeNull();
  });
});

test('a survey beyond the data sheet of the model is refused', async () => {
  name = 'NVIDIA H200';
  const { deviceKey: h200, workerId } = await attach(store, name);
  const of = { deviceKey: h200, profile: 'default' as const, workerId };
  const peaks = [{ dtype: 'f32' as const, gigaflopsPerSecond: 200e3 }];
  expect(await refusalOf(store.rooflines.record({ ...of, survey: { ...survey, peaks } }))).toBe(
    'peaks[0].gigaflopsPerSecond',
  );
  expect(await store.rooflines.latest(h200)).toEqual([]);
});

test('without a survey, the data sheet of the model is the bound', async () => {
  name = 'NVIDIA GeForce RTX 4090';
  key = deviceKey(identity(name));
  const device = { key, name, class: 'gpu' } as const;
  const bring = async (ms: number) => {
    const results = [result({ device, problem: square(4096), outcome: honest(ms * 1e6) })];
    const { id } = await importResults(
      { store },
      { ...file(results), environment: environment(name) },
      { name: 'm', role: 'member', tokenId: member },
    );
    return measurementOf((await store.sweeps.results(id)).items[0]!.outcome!).unranked;
  };
  // 137 GFLOP at 82.6 TFLOP/s and a quarter more: 1.33 ms.
  expect(await bring(2)).toBeNull();
  expect(await bring(1)).toMatch(/^implausible/);
});
