import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@tilemark/db';
import { InputError } from '@tilemark/kernels';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { execute } from '../../../services.test-helper';
import { leaderboardQuerySchema } from '../../api/api';
import type { RunSpec } from '../../api/run';
import { Refused } from '../../link/link';
import { deviceKey } from '../../measure/hardware';
import { METHODOLOGY_VERSION, type Measurement, type Outcome } from '../../measure/outcome';
import type { RooflineSurvey } from '../../measure/roofline';
import { summarise } from '../../statistics/summary';
import { file, result } from '../imports/bench-file.test-helper';
import { importResults } from '../imports/import';
import { type Asked, bestOf } from './best/tiles.test-helper';
import { spreadOf } from './boards/move';
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
import { testStore } from './store.test-helper';

/**
 * Attempts to put a number first that is not true, through every door: a worker of a stranger's
 * token, a file that a member brings, and one that an admin does. Each ends refused, unranked, or
 * kept as whose it is, and decides nothing.
 */

/** Tokens of two strangers who may attach workers, and of a member. */
let mallory: string;
let victor: string;
let member: string;
let admin: string;
/** A device that the operator's worker has attached and surveyed. */
let name: string;
let key: string;
let surveyor: string;
let count = 0;

const { db, store, url } = await testStore();
beforeAll(async () => {
  const token = async (role: 'worker' | 'member' | 'admin') =>
    (await store.tokens.create({ name: role, role, expiresAt: null })).id;
  [mallory, victor, member] = [await token('worker'), await token('worker'), await token('member')];
  admin = await token('admin');
});

/** 64^3 takes 524 ns at this peak, and 49 ns at this bandwidth. */
const survey: RooflineSurvey = {
  copies: [{ bytes: 2 ** 28, gigabytesPerSecond: 1_000 }],
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
  const isKnown = cold.independent >= 50;
  const { measurement } = outcome;
  return {
    kind: 'measured',
    measurement: {
      ...measurement,
      cold,
      hot: null,
      bufferSets: 1,
      stop: isKnown ? measurement.stop : 'capped',
      ...over,
    },
  };
}

const measurementOf = (outcome: Outcome): Measurement => {
  if (outcome.kind !== 'measured') throw new TypeError('not measured');
  return outcome.measurement;
};

/** Hands an outcome in as the worker of a token (null: the operator's). */
async function byWorker(
  tokenId: string | null,
  outcome: Outcome,
  over: Partial<ReturnType<typeof recorded>> = {},
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
  const { id, runIds } = await sweepOf(store, [run], tokenId);
  await store.runs.claim(runIds[0] ?? '', workerId);
  await execute(url, `UPDATE "Run" SET "seed" = 1 WHERE "id" = '${runIds[0]}'`);
  await store.runs.record({ ...recorded(runIds[0] ?? '', workerId, outcome, name), ...over });
  return (await store.sweeps.results(id)).items[0];
}

const byFile = (role: 'member' | 'admin') => async (outcome: Outcome) => {
  const device = { key, name, class: 'gpu' } as const;
  const { id } = await importResults(
    { store },
    { ...file([result({ device, outcome })]), environment: environment(name) },
    { name: role, role, tokenId: role === 'admin' ? admin : member },
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

describe.each(DOORS)('%s is refused', (_, bring) => {
  test.each<[string, string, () => Outcome]>([
    ['an edited median', 'cold.medianNs', () => edited({ medianNs: 5_000 })],
    ['an edited minimum', 'cold.minNs', () => edited({ minNs: 5_000 })],
    ['a narrower interval', 'cold.lowNs', () => edited({ lowNs: 9_999.99 })],
    ['more samples than there are', 'cold.n', () => edited({ n: 500 })],
    [
      'a wrong result as measured',
      'verification.after.worstRatio',
      () =>
        honest(10_000, {
          verification: {
            ...measurementOf(honest(10_000)).verification,
            after: { method: 'whole', worstRatio: 2, checked: 1, ns: 1 },
          },
        }),
    ],
    ["another policy's measurement", 'policy', () => honest(10_000, { policy: 'smoke' })],
  ])('for %s', async (_name, field, outcome) => {
    expect(await refusalOf(bring(outcome()))).toContain(field);
    expect(await board()).toBeUndefined();
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
    expect((await board())?.rank ?? null).toBeNull();
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

  test('a proof on inputs of its own choice', async () => {
    const { verification } = measurementOf(outcome());
    const chosen = honest(10_000, { verification: { ...verification, seed: 2 } });
    const field = await refusalOf(byWorker(mallory, chosen));
    expect(field).toBe('outcome.measurement.verification.seed');
  });

  test('a rank for another shader', async () => {
    const kept = await byWorker(mallory, outcome(), { wgsl: '// copies the answer' });
    expect(measurementOf(kept!.outcome!).unranked).toMatch(/another shader/);
  });
});

const asked = (over: Asked = {}) => bestOf(store, { m: 64, n: 64, k: 64, device: key, ...over });
const naive = (n = 64) => kernelRun(key, 'matmul/naive', square(n));
const decided = async () => ({
  board: await board(),
  best: await asked(),
  large: await asked({ m: 256, n: 256, k: 256 }),
  map: await store.winners({ key, op: 'matmul' }),
  roofs: await store.rooflines.latest(key),
});

describe('a result of an untrusted token', () => {
  const forge = async () => {
    await byWorker(mallory, honest(40_000), {}, naive(256));
    await byWorker(mallory, honest(700), {}, naive(512));
    return byWorker(mallory, honest(700), {}, naive());
  };
  afterEach(() => store.tokens.trust(mallory, false));

  test('is kept as whose it is, and decides nothing', async () => {
    await byWorker(null, honest(10_000));
    const before = await decided();
    const kept = await forge();
    expect(kept).toMatchObject({ trusted: false, tokenName: 'worker' });
    expect(measurementOf(kept!.outcome!).unranked).toBeNull();
    await byFile('member')(honest(800));
    expect(await decided()).toEqual(before);
  });

  test('decides once an admin trusts the token, and no longer when that is taken back', async () => {
    await byWorker(null, honest(10_000));
    const before = await decided();
    await forge();
    await store.tokens.trust(mallory, true);
    expect(await asked()).toMatchObject({ address: expect.stringMatching(/naive/) });
    expect(await board()).toMatchObject({ medianNs: expect.closeTo(700, -1) });
    expect((await decided()).map).not.toEqual(before.map);
    // So do its later ones.
    await byWorker(mallory, honest(650), {}, kernelRun(key, 'matmul/register-tile'));
    expect(await board()).toMatchObject({ medianNs: expect.closeTo(650, -1) });
    await store.tokens.trust(mallory, false);
    expect(await decided()).toEqual(before);
  });

  test('decides once an admin confirms it', async () => {
    await byWorker(null, honest(10_000));
    const kept = await forge();
    const confirmed = await store.results.confirm(kept?.resultId ?? '', 'Ada');
    expect(confirmed).toMatchObject({ confirmedBy: 'Ada', trusted: true });
    expect(await asked()).toMatchObject({ address: expect.stringMatching(/naive/) });
    expect(await store.results.confirm('00000000-0000-7000-8000-000000000000', 'Ada')).toBeNull();
    // Trust that is taken back leaves it.
    await store.tokens.trust(mallory, true);
    await store.tokens.trust(mallory, false);
    expect(await board()).toMatchObject({ medianNs: expect.closeTo(700, -1) });
  });

  test('decides for a class whose invite is trusted', async () => {
    const teacher = { tokenId: admin, name: 'Teacher', role: 'admin' } as const;
    const expiresAt = new Date(Date.now() + 60_000);
    const joined = async (trusted: boolean) => {
      const invite = { name: 'class', seats: 1, expiresAt, trusted, by: teacher };
      const { secret } = await store.invites.redeem((await store.invites.create(invite)).secret);
      return (await store.tokens.verify(secret))?.tokenId ?? '';
    };
    await byWorker(await joined(false), honest(10_000));
    expect(await board()).toBeUndefined();
    await byWorker(await joined(true), honest(12_000));
    expect(await board()).toMatchObject({ medianNs: expect.closeTo(12_000, -2) });
  });

  test('does not move the history of a device', async () => {
    const later = { environment: { ...environment(name), driver: 'later' } };
    await byWorker(null, honest(10_000));
    await byWorker(null, honest(10_000), later);
    const variants = await store.devices.history(key);
    expect(variants).toHaveLength(1);
    await byWorker(mallory, honest(700), later);
    expect(await store.devices.history(key)).toEqual(variants);
  });

  test('decides nothing where its token is distrusted while it is written', async () => {
    const { workerId } = await store.workers.attach({
      ...{ name: 'm', host: 'h', version: '0', capabilities, tokenId: mallory },
      identity: identity(name),
    });
    await store.tokens.trust(mallory, true);
    const { id, runIds } = await sweepOf(store, [naive()], mallory);
    await store.runs.claim(runIds[0] ?? '', workerId);
    await execute(url, `UPDATE "Run" SET "seed" = 1 WHERE "id" = '${runIds[0]}'`);
    // Something holds up the write, when the result has been read and judged.
    const db = createClient(url);
    const roof = { ns: 100, bound: 'compute' } as const;
    let ended: Promise<unknown> = Promise.resolve();
    let distrusted: Promise<unknown> = Promise.resolve();
    try {
      await db.$transaction(
        async (tx) => {
          await tx.$queryRaw`SELECT FROM "Run" WHERE "id" = ${runIds[0]} FOR UPDATE`;
          ended = store.runs.record(
            recorded(runIds[0] ?? '', workerId, honest(700, { roof }), name),
          );
          await sleep(1_000);
          distrusted = store.tokens.trust(mallory, false);
          await sleep(500);
        },
        { timeout: 60_000 },
      );
      await Promise.all([ended, distrusted]);
    } finally {
      await db.$disconnect();
    }
    expect((await store.sweeps.results(id)).items[0]).toMatchObject({ trusted: false });
    expect(await board()).toBeUndefined();
    expect(await store.rooflines.latest(key)).toMatchObject([survey]);
  });

  test('brought first, keeps nobody from bringing the same with trust', async () => {
    const outcome = honest(9_000);
    const endedAt = '2026-11-01T10:00:00.000Z';
    const bring = async (role: 'member' | 'admin') =>
      importResults(
        { store },
        {
          ...file([result({ device: { key, name, class: 'gpu' }, outcome, endedAt })]),
          environment: environment(name),
        },
        { name: role, role, tokenId: role === 'admin' ? admin : member },
      );
    const first = await bring('member');
    expect(await board()).toBeUndefined();
    const second = await bring('admin');
    expect(second.isNew).toBe(true);
    expect(await board()).toMatchObject({ medianNs: expect.closeTo(9_000, -2) });
    expect(await bring('admin')).toMatchObject({ id: second.id, isNew: false });
    expect(await bring('member')).toMatchObject({ isNew: false });
    expect(first.isNew).toBe(true);
  });

  test('counts among the machines that agree', async () => {
    await byWorker(null, honest(10_000));
    expect(await board()).toMatchObject({ machines: 1 });
    await byWorker(mallory, honest(10_500));
    expect(await board()).toMatchObject({ machines: 1 });
    await byWorker(victor, honest(10_100));
    expect(await board()).toMatchObject({ machines: 2 });
  });
});

test('an invite has the trust of its maker: none, once that is taken back', async () => {
  const { id } = await store.tokens.create({
    ...{ name: 'Maker', role: 'member', expiresAt: null, trusted: true },
  });
  const { secret } = await store.invites.create({
    ...{ name: 'class', seats: 3, trusted: true, expiresAt: new Date(Date.now() + 60_000) },
    by: { tokenId: id, name: 'Maker', role: 'member' },
  });
  const joined = async () => {
    const { secret: own } = await store.invites.redeem(secret);
    return (await store.tokens.verify(own))?.tokenId ?? '';
  };
  const early = await joined();
  await byWorker(early, honest(12_000));
  expect(await board()).toBeDefined();
  await store.tokens.trust(id, false);
  expect(await store.tokens.isTrusted(early)).toBe(false);
  expect(await board()).toBeUndefined();
  expect(await store.tokens.isTrusted(await joined())).toBe(false);
  await store.tokens.trust(id, true);
  await store.tokens.revoke(id);
  expect(await store.tokens.isTrusted(await joined())).toBe(false);
});

test('an untrusted worker takes and answers no run of another', async () => {
  const { workerId } = await store.workers.attach({
    ...{
      name: 'm',
      host: 'h',
      version: '0',
      capabilities,
      tokenId: mallory,
      identity: identity(name),
    },
  });
  const ofAnother = await sweepOf(store, [planned(key)]);
  const runId = ofAnother.runIds[0] ?? '';
  expect(await store.runs.claim(runId, workerId)).toBeNull();
  expect(await store.runs.whyNotClaimed(runId, workerId)).toBe('for others');
  for (const outcome of [honest(10), failed]) {
    const answer = store.runs.record(recorded(runId, workerId, outcome, name));
    await expect(answer).rejects.toThrow(/was asked for by another: a token that is not trusted/);
  }
  expect((await store.sweeps.get(ofAnother.id))?.counts).toMatchObject({ pending: 1 });
  const own = await sweepOf(store, [planned(key)], mallory);
  expect(await store.runs.claim(own.runIds[0] ?? '', workerId)).not.toBeNull();
  await store.tokens.trust(mallory, true);
  expect(await store.runs.claim(runId, workerId)).not.toBeNull();
  await store.tokens.trust(mallory, false);
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

  test('is described by whoever attached it first, and by a trusted worker at last', async () => {
    name = `Found ${++count}`;
    key = (await stranger()).deviceKey;
    const seen = async () =>
      (await store.devices.get(key))?.capabilities.maxComputeInvocationsPerWorkgroup;
    await store.workers.attach({
      ...{ name: 'v', host: 'h', version: '0', capabilities, tokenId: victor },
      identity: identity(name),
    });
    expect(await seen()).toBe(1);
    await attach(store, name, 'own');
    expect(await seen()).toBe(capabilities.maxComputeInvocationsPerWorkgroup);
    await stranger();
    expect(await seen()).toBe(capabilities.maxComputeInvocationsPerWorkgroup);
  });

  test('keeps its description where only a trusted file has brought it', async () => {
    name = `Brought ${++count}`;
    key = deviceKey(identity(name));
    await byFile('admin')(honest(10_000));
    const before = await store.devices.get(key);
    await stranger();
    const { capabilities: kept } = (await store.devices.get(key))!;
    expect(kept).toEqual(before!.capabilities);
    await expect(stranger({ class: 'software' })).rejects.toMatchObject({
      field: 'identity.class',
    });
  });

  test('keeps its roof, be the other higher or lower', async () => {
    const { workerId } = await stranger();
    const faked = (part: number): RooflineSurvey => ({
      copies: [{ bytes: 2 ** 28, gigabytesPerSecond: 1_000 * part }],
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

  test("has the spread of its operator's repeats, not of a stranger's", async () => {
    const repeat = async (tokenId: string | null, run: RunSpec) => {
      for (let index = 0; index < 10; index++) {
        await byWorker(tokenId, honest(index % 2 ? 1.3e6 : 1e6), {}, run);
      }
    };
    const spread = () => spreadOf(db, key, METHODOLOGY_VERSION);
    await repeat(mallory, planned(key, { problem: square(128) }));
    expect((await spread()).isShown).toBe(false);
    await repeat(null, planned(key, { problem: square(256) }));
    expect((await spread()).isShown).toBe(true);
  });
});
