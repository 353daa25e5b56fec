import { afterAll, beforeAll, expect, test } from 'vitest';
import { execute, testDatabase } from '../../../services.test-helper';
import type { Roof, RooflineSurvey } from '../../measure/roofline';
import { leaderboardQuerySchema, rooflineSchema } from '../../view/api';
import {
  attach,
  capabilities,
  identity,
  measured,
  planned,
  recorded,
  sweepOf,
} from './fixtures.test-helper';
import type { Store } from './store';
import { openStore } from './store';

let url: string;
let store: Store;
beforeAll(async () => {
  url = await testDatabase();
  store = openStore(url);
});
afterAll(() => store.close());

const survey = (gigabytesPerSecond: number): RooflineSurvey => ({
  copies: [{ bytes: 2 ** 20, gigabytesPerSecond }],
  lastLevelCacheBytes: null,
  peaks: [{ dtype: 'f32', gigaflopsPerSecond: 1_000 }],
});

test('the best of all profiles is found for each, with who measured it', async () => {
  const { deviceKey, workerId } = await attach(store);
  expect(await store.rooflines.latest(deviceKey)).toEqual([]);
  const record = (profile: 'default' | 'fast', rate: number) =>
    store.rooflines.record({ deviceKey, profile, workerId, survey: survey(rate) });
  await record('default', 1);
  await record('fast', 2);
  await record('default', 3);
  const latest = await store.rooflines.latest(deviceKey);
  expect(latest).toMatchObject([
    { ...survey(3), profile: 'default', worker: { id: workerId } },
    { ...survey(3), profile: 'fast', worker: { id: workerId } },
  ]);
  for (const roofline of latest) expect(rooflineSchema.parse(roofline)).toEqual(roofline);
  expect(await store.rooflines.latest('unknown')).toEqual([]);
});

/** 64^3 takes 524 / rate ns at a roof of so many TFLOP/s. */
const roofOf = (rate: number): RooflineSurvey => ({
  copies: [{ bytes: 2 ** 28, gigabytesPerSecond: 1_000 * rate }],
  lastLevelCacheBytes: null,
  peaks: [{ dtype: 'f32', gigaflopsPerSecond: 1_000 * rate }],
});

/** A result of the device in 200 ns, and what is made of it at any time. */
async function resultOf(
  deviceKey: string,
  workerId: string,
  name: string,
  over: Parameters<typeof measured>[1] = {},
) {
  const { id, runIds } = await sweepOf(store, [planned(deviceKey)]);
  await store.runs.claim(runIds[0] ?? '', workerId);
  const claim = `"seed" = NULL, "claimedAt" = now() - interval '1 hour'`;
  await execute(url, `UPDATE "Run" SET ${claim} WHERE "id" = '${runIds[0]}'`);
  await store.runs.record(recorded(runIds[0] ?? '', workerId, measured(200, over), name));
  return async () => {
    const { outcome } = (await store.sweeps.results(id)).items[0]!;
    if (outcome?.kind !== 'measured') throw new TypeError('not measured');
    const { rows } = await store.leaderboard(leaderboardQuerySchema.parse({ shape: '64' }));
    const rank = rows.find((row) => row.device.key === deviceKey)?.rank;
    return { rank, unranked: outcome.measurement.unranked };
  };
}

test('a roof that an earlier release kept apart rises to what another profile proved', async () => {
  const { deviceKey, workerId } = await attach(store, 'Apart');
  const record = (profile: 'default' | 'fast') =>
    store.rooflines.record({ deviceKey, profile, workerId, survey: survey(3) });
  await record('default');
  await record('fast');
  const low = JSON.stringify(survey(0.1));
  await execute(
    url,
    `UPDATE "Roof" SET "content" = '${low}' WHERE "deviceKey" = '${deviceKey}' AND "profile" = 'fast'`,
  );
  await store.rooflines.levelEarlier();
  expect((await store.rooflines.roofs(deviceKey, null)).get('fast')).toEqual(survey(3));
});

test('a device that shares its host has a share of its peak once it was surveyed', async () => {
  const { deviceKey, workerId } = await attach(store, 'Shared', 'w1', 'software');
  const { id, runIds } = await sweepOf(store, [planned(deviceKey)]);
  await store.runs.claim(runIds[0] ?? '', workerId);
  const roof = { ns: 195, bound: 'compute' } as const;
  await store.runs.record(recorded(runIds[0] ?? '', workerId, measured(200, { roof }), 'Shared'));
  const shown = async () => {
    const { outcome } = (await store.sweeps.results(id)).items[0]!;
    const { rows } = await store.leaderboard(leaderboardQuerySchema.parse({ shape: '64' }));
    return [
      outcome?.kind === 'measured' && outcome.measurement.roof,
      rows.find(({ device }) => device.key === deviceKey)?.roof,
    ];
  };
  expect(await shown()).toEqual([null, null]);
  await store.rooflines.record({ deviceKey, profile: 'default', workerId, survey: roofOf(5) });
  const surveyed = { bound: 'compute', ns: expect.closeTo(100, -1) };
  expect(await shown()).toEqual([surveyed, surveyed]);
});

test('a higher roof makes plausible what was not, and a lower one the reverse', async () => {
  const record = (deviceKey: string, workerId: string, rate: number) =>
    store.rooflines.record({ deviceKey, profile: 'default', workerId, survey: roofOf(rate) });

  const idle = await attach(store, 'Idle');
  await record(idle.deviceKey, idle.workerId, 1);
  const early = await resultOf(idle.deviceKey, idle.workerId, 'Idle');
  expect(await early()).toEqual({ rank: null, unranked: expect.stringMatching(/^implausible/) });
  await record(idle.deviceKey, idle.workerId, 2);
  expect(await early()).toEqual({ rank: null, unranked: expect.stringMatching(/^implausible/) });
  await record(idle.deviceKey, idle.workerId, 5);
  expect(await early()).toEqual({ rank: 1, unranked: null });

  const { id: tokenId } = await store.tokens.create({ name: 't', role: 'worker', expiresAt: null });
  const boasting = await store.workers.attach({
    name: 'b',
    host: 'h',
    version: '0',
    capabilities,
    tokenId,
    identity: identity('Boasted'),
  });
  await record(boasting.deviceKey, boasting.workerId, 5);
  const boasted = await resultOf(boasting.deviceKey, boasting.workerId, 'Boasted');
  expect(await boasted()).toMatchObject({ unranked: null });
  const own = await attach(store, 'Boasted');
  await record(own.deviceKey, own.workerId, 1);
  expect(await boasted()).toEqual({ rank: null, unranked: expect.stringMatching(/^implausible/) });
});

test('what an earlier release did not rank for its wide interval is reconsidered', async () => {
  const { deviceKey, workerId } = await attach(store, 'Wide');
  const found = await resultOf(deviceKey, workerId, 'Wide');
  const why = 'the median is known to ±18.0%, and ranked from ±2.0%: that takes about 13 min';
  const at = `"runId" IN (SELECT "id" FROM "Run" WHERE "deviceKey" = '${deviceKey}')`;
  const outcome = `jsonb_set("outcome", '{measurement,unranked}', '"${why}"')`;
  await execute(
    url,
    `UPDATE "Result" SET "unranked" = '${why}', "outcome" = ${outcome} WHERE ${at}`,
  );
  await execute(
    url,
    `UPDATE "VariantBest" SET "unranked" = '${why}', "standing" = 2
    WHERE "deviceKey" = '${deviceKey}'`,
  );
  expect(await found()).toEqual({ rank: null, unranked: why });
  expect(await store.rooflines.reconsiderEarlier()).toBe(1);
  expect(await found()).toEqual({ rank: 1, unranked: null });
  expect(await store.rooflines.reconsiderEarlier()).toBe(0);
});

test('a survey of a busy device does not lower what its results proved', async () => {
  const { deviceKey, workerId } = await attach(store, 'Busy');
  const { runIds } = await sweepOf(store, [planned(deviceKey)]);
  await store.runs.claim(runIds[0] ?? '', workerId);
  const roof = { ns: 100, bound: 'compute' } as const;
  await store.runs.record(recorded(runIds[0] ?? '', workerId, measured(200, { roof }), 'Busy'));
  const peak = async () => (await store.rooflines.roofs(deviceKey, null)).get('default')?.peaks;
  const proved = [{ dtype: 'f32', gigaflopsPerSecond: expect.closeTo(5243, 0) }];
  expect(await peak()).toEqual(proved);
  const survey = roofOf(1);
  await store.rooflines.record({ deviceKey, profile: 'default', workerId, survey });
  expect(await peak()).toEqual(proved);
});

test('a probe that was disturbed under one profile yields to what the other proved', async () => {
  const { deviceKey, workerId } = await attach(store, 'Disturbed');
  const turn = {
    variant: { kernel: 'transpose/naive', tunables: {} },
    address: 'transpose/naive',
    problem: { op: 'transpose', shape: { rows: 64, cols: 64 }, dtype: 'f32' },
    profile: 'fast',
  } as const;
  const { id, runIds } = await sweepOf(store, [planned(deviceKey, turn)]);
  await store.runs.claim(runIds[0] ?? '', workerId);
  const roof = { ns: 8000, bound: 'bandwidth' } as const;
  const unranked = 'implausible: 300.0% faster than the bandwidth of the device allows';
  const outcome = measured(2000, { roof, unranked });
  await store.runs.record(recorded(runIds[0] ?? '', workerId, outcome, 'Disturbed'));
  const found = async () => {
    const { outcome } = (await store.sweeps.results(id)).items[0]!;
    return outcome?.kind === 'measured' ? outcome.measurement : undefined;
  };
  expect(await found()).toMatchObject({ unranked, roof });
  const proved = roofOf(0.032);
  const survey = { deviceKey, workerId, survey: proved } as const;
  await store.rooflines.record({ ...survey, profile: 'default' });
  expect(await found()).toMatchObject({ unranked: null, roof: { ns: expect.closeTo(1024, 6) } });
  // Nor does a slow survey hide it.
  await store.rooflines.record({ ...survey, profile: 'fast', survey: roofOf(0.001) });
  expect((await store.rooflines.roofs(deviceKey, null)).get('fast')).toMatchObject({
    peaks: proved.peaks,
    copies: expect.arrayContaining(proved.copies),
  });
  expect(await found()).toMatchObject({ unranked: null });
});

test('a roof alone withdraws no rank on a device that its machine shares', async () => {
  for (const kind of ['software', 'cpu'] as const) {
    const { deviceKey, workerId } = await attach(store, `Loaded ${kind}`, 'w1', kind);
    const found = await resultOf(deviceKey, workerId, `Loaded ${kind}`);
    // As surveyed beside other work: 200 ns are 160% faster than that.
    const survey = { deviceKey, workerId, profile: 'default', survey: roofOf(1) } as const;
    await store.rooflines.record(survey);
    expect(await found()).toEqual({ rank: 1, unranked: null });
    const later = await resultOf(deviceKey, workerId, `Loaded ${kind}`);
    expect(await later()).toEqual({ rank: 1, unranked: null });
    // As an earlier release left it.
    const why = 'implausible: 161.9% faster than the compute of the device allows';
    await execute(
      url,
      `UPDATE "Result" SET "unranked" = '${why}',
        "outcome" = jsonb_set("outcome", '{measurement,unranked}', '"${why}"')
      WHERE "runId" IN (SELECT "id" FROM "Run" WHERE "deviceKey" = '${deviceKey}')`,
    );
    expect(await store.rooflines.reconsiderEarlier()).toBe(1);
    expect(await found()).toMatchObject({ unranked: null });
    expect(await store.rooflines.reconsiderEarlier()).toBe(0);
  }
});

test('a survey of a busy GPU is raised by what a worker probes beside a result that beats it', async () => {
  const { deviceKey, workerId } = await attach(store, 'Probed again');
  const survey = { deviceKey, workerId, profile: 'default', survey: roofOf(1) } as const;
  await store.rooflines.record(survey);
  const early = await resultOf(deviceKey, workerId, 'Probed again');
  expect(await early()).toMatchObject({ unranked: expect.stringMatching(/^implausible/) });
  // 64^3 in 150 ns: the peak that its worker found when it looked again.
  const found = await resultOf(deviceKey, workerId, 'Probed again', {
    roof: { ns: 150, bound: 'compute' },
  });
  expect(await found()).toEqual({ rank: 1, unranked: null });
  expect(await early()).toEqual({ rank: 1, unranked: null });
  const [latest] = await store.rooflines.latest(deviceKey);
  expect(latest?.peaks).toEqual([{ dtype: 'f32', gigaflopsPerSecond: expect.closeTo(3495, 0) }]);
  expect(latest?.copies).toEqual(roofOf(1).copies);
});

test('a stranger who attaches a model first decides no roof but its own', async () => {
  const stranger = async (name: string) => {
    const { id } = await store.tokens.create({ name, role: 'worker', expiresAt: null });
    return store.workers.attach({
      name,
      host: 'h',
      version: '0',
      capabilities,
      tokenId: id,
      identity: identity('Claimed'),
    });
  };
  const first = await stranger('first');
  const { deviceKey } = first;
  const record = ({ party, workerId }: typeof first, rate: number) =>
    store.rooflines
      .record({ deviceKey, profile: 'default', workerId, survey: roofOf(rate) })
      .then(() => store.rooflines.latest(deviceKey, party));
  await record(first, 0.001);
  const [its, others] = [await resultOf(deviceKey, first.workerId, 'Claimed'), await stranger('b')];
  expect(await its()).toMatchObject({ unranked: expect.stringMatching(/^implausible/) });
  // It has surveyed nothing for anybody else.
  expect(await store.rooflines.latest(deviceKey, others.party)).toEqual([]);
  const honest = await resultOf(deviceKey, others.workerId, 'Claimed');
  expect(await honest()).toMatchObject({ unranked: null });
  await record(others, 5);
  expect(await honest()).toMatchObject({ unranked: null });
  const operator = await attach(store, 'Claimed');
  const own = await resultOf(deviceKey, operator.workerId, 'Claimed');
  expect(await own()).toMatchObject({ rank: 1, unranked: null });
  expect(await its()).toMatchObject({ unranked: expect.stringMatching(/^implausible/) });
  // The operator's roof holds for all.
  await record({ ...first, ...operator, party: 'operator' }, 4);
  expect(await its()).toMatchObject({ unranked: null });
  await record(first, 0.0001);
  expect(await its()).toMatchObject({ unranked: null });
});

test('a product has no share of the bytes alone, and its own peak counts where that binds', async () => {
  const { deviceKey, workerId } = await attach(store, 'Fresh');
  const { id, runIds } = await sweepOf(store, [
    planned(deviceKey, {
      variant: { kernel: 'transpose/naive', tunables: {} },
      address: 'transpose/naive',
      problem: { op: 'transpose', shape: { rows: 64, cols: 64 }, dtype: 'f32' },
    }),
    planned(deviceKey),
    planned(deviceKey),
  ]);
  const [turned = '', unsure = '', proved = ''] = runIds;
  for (const runId of runIds) await store.runs.claim(runId, workerId);
  const ended = (runId: string, ns: number, roof: Roof) =>
    store.runs.record(recorded(runId, workerId, measured(ns, { roof }), 'Fresh'));
  const roofs = async () =>
    new Map(
      (await store.sweeps.results(id)).items.map(({ outcome, runId }) => [
        runId,
        outcome?.kind === 'measured' ? outcome.measurement.roof : undefined,
      ]),
    );
  await ended(turned, 3000, { ns: 1500, bound: 'bandwidth' });
  await ended(unsure, 4001, { ns: 2000, bound: 'bandwidth' });
  const before = await roofs();
  expect(before.get(turned)).toMatchObject({ bound: 'bandwidth' });
  expect(before.get(unsure)).toBeNull();
  await ended(proved, 20_000, { ns: 8000, bound: 'compute' });
  const after = await roofs();
  for (const runId of [unsure, proved]) {
    expect(after.get(runId)).toEqual({ ns: expect.closeTo(8000, 6), bound: 'compute' });
  }
});
