import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { execute } from '../../../../services.test-helper';
import { leaderboardQuerySchema, rooflineSchema } from '../../../api/api';
import type { Roof, RooflineSurvey } from '../../../measure/roofline';
import {
  attach,
  capabilities,
  identity,
  measured,
  planned,
  recorded,
  sweepOf,
} from '../fixtures.test-helper';
import { testStore } from '../store.test-helper';

const { db, store, url } = await testStore();

const survey = (gigabytesPerSecond: number): RooflineSurvey => ({
  copies: [{ bytes: 2 ** 20, gigabytesPerSecond }],
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
  peaks: [{ dtype: 'f32', gigaflopsPerSecond: 1_000 * rate }],
});

/** A result of the device in 200 ns, and what is made of it at any time. */
async function resultOf(
  deviceKey: string,
  workerId: string,
  name: string,
  over: Parameters<typeof measured>[1] = {},
  tokenId: string | null = null,
) {
  const { id, runIds } = await sweepOf(store, [planned(deviceKey)], tokenId);
  await store.runs.claim(runIds[0] ?? '', workerId);
  const claim = `"seed" = 1`;
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
});

test('a survey of a busy device does not lower what its results proved', async () => {
  const { deviceKey, workerId } = await attach(store, 'Busy');
  const { runIds } = await sweepOf(store, [planned(deviceKey)]);
  await store.runs.claim(runIds[0] ?? '', workerId);
  const roof = { ns: 100, bound: 'compute' } as const;
  await store.runs.record(recorded(runIds[0] ?? '', workerId, measured(200, { roof }), 'Busy'));
  const peak = async () => (await store.rooflines.roofs(deviceKey)).get('default')?.peaks;
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
  const outcome = measured(2000, { roof, unranked, disbelieved: true });
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
  expect((await store.rooflines.roofs(deviceKey)).get('fast')).toMatchObject({
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

test('a roof of 0.1.0, with what its copies implied of a cache, is not taken for a lower one', async () => {
  const { deviceKey, workerId } = await attach(store, 'Kept of old');
  const survey = { deviceKey, workerId, profile: 'default', survey: roofOf(4) } as const;
  await store.rooflines.record(survey);
  await db.$executeRaw`UPDATE "Roof" SET "content" = "content" || '{"lastLevelCacheBytes": null}'
    WHERE "deviceKey" = ${deviceKey}`;
  // The 4 TFLOP/s of the survey.
  const roof = { ns: 131.072, bound: 'compute' } as const;
  await resultOf(deviceKey, workerId, 'Kept of old', { roof });
  expect(await db.roofline.count({ where: { deviceKey } })).toBe(1);
});

test('a survey of an untrusted worker decides no roof until its token is trusted', async () => {
  const { id: tokenId } = await store.tokens.create({ name: 't', role: 'worker', expiresAt: null });
  const { deviceKey, workerId } = await store.workers.attach({
    ...{ name: 'b', host: 'h', version: '0', capabilities, tokenId, identity: identity('Boasted') },
  });
  const { workerId: own } = await attach(store, 'Boasted');
  const record = (by: string, rate: number) =>
    store.rooflines.record({ deviceKey, profile: 'default', workerId: by, survey: survey(rate) });
  const latest = () => store.rooflines.latest(deviceKey);
  await record(workerId, 5);
  expect(await latest()).toEqual([]);
  await record(own, 1);
  await record(workerId, 4);
  expect(await latest()).toMatchObject([survey(1)]);
  await store.tokens.trust(tokenId, true);
  expect(await latest()).toMatchObject([survey(5)]);
  await store.tokens.trust(tokenId, false);
  expect(await latest()).toMatchObject([survey(1)]);
});

/** A worker of a trusted token, and the operator's of the same device. */
async function trustedBeside(name: string) {
  const { id: tokenId } = await store.tokens.create({
    ...{ name: 't', role: 'worker', expiresAt: null, trusted: true },
  });
  const instance = randomUUID();
  const attachAs = (as: string) =>
    store.workers.attach({
      ...{ name: 'b', host: 'h', version: '0', capabilities, tokenId: as, instance },
      identity: identity(name),
    });
  const { workerId: own } = await attach(store, name);
  const { deviceKey, workerId } = await attachAs(tokenId);
  const record = (by: string, rate: number, profile: 'default' | 'fast' = 'default') =>
    store.rooflines.record({ deviceKey, profile, workerId: by, survey: roofOf(rate) });
  const peaks = async () =>
    Object.fromEntries(
      [...(await store.rooflines.roofs(deviceKey))].map(([profile, { peaks }]) => [
        profile,
        Math.round((peaks[0]?.gigaflopsPerSecond ?? 0) / 1_000),
      ]),
    );
  return { attachAs, deviceKey, own, peaks, record, tokenId, workerId };
}

test('what a distrusted worker surveyed leaves the roofs of the other profiles, too', async () => {
  const { own, peaks, record, tokenId, workerId } = await trustedBeside('Profiled');
  await record(own, 1);
  await record(own, 2, 'fast');
  await record(workerId, 50);
  expect(await peaks()).toEqual({ default: 50, fast: 50 });
  await store.tokens.trust(tokenId, false);
  expect(await peaks()).toEqual({ default: 2, fast: 2 });
});

test('to trust who is trusted already changes no roof', async () => {
  const { deviceKey, own, peaks, record, tokenId, workerId } = await trustedBeside('Again');
  await record(own, 1);
  await record(workerId, 1);
  const found = await resultOf(deviceKey, own, 'Again', { roof: { ns: 150, bound: 'compute' } });
  expect(await found()).toEqual({ rank: 1, unranked: null });
  const before = await peaks();
  await store.tokens.trust(tokenId, true);
  expect(await peaks()).toEqual(before);
  expect(await found()).toEqual({ rank: 1, unranked: null });
});

test('a distrusted token takes back what its results raised, and nothing that others did', async () => {
  const { deviceKey, own, peaks, record, tokenId, workerId } = await trustedBeside('Raised');
  await record(own, 1);
  await record(workerId, 1);
  // 64^3 in 150 ns is 3.5 TFLOP/s, and in 50 ns ten.
  const found = await resultOf(deviceKey, own, 'Raised', { roof: { ns: 150, bound: 'compute' } });
  expect(await peaks()).toEqual({ default: 3 });
  await resultOf(deviceKey, workerId, 'Raised', { roof: { ns: 50, bound: 'compute' } });
  expect(await peaks()).toEqual({ default: 10 });
  await store.tokens.trust(tokenId, false);
  expect(await peaks()).toEqual({ default: 3 });
  expect(await found()).toEqual({ rank: 1, unranked: null });
  await store.tokens.trust(tokenId, true);
  expect(await peaks()).toEqual({ default: 10 });
});

test('what a worker surveyed under a token goes with its trust, whichever it attaches with next', async () => {
  const { attachAs, own, peaks, record, tokenId, workerId } = await trustedBeside('Attached again');
  await record(own, 1);
  await record(workerId, 50);
  const { id: next } = await store.tokens.create({ name: 'n', role: 'worker', expiresAt: null });
  expect((await attachAs(next)).workerId).toBe(workerId);
  await record(workerId, 90);
  expect(await peaks()).toEqual({ default: 50 });
  await store.tokens.trust(tokenId, false);
  expect(await peaks()).toEqual({ default: 1 });
  await attachAs(tokenId);
  await store.tokens.trust(tokenId, true);
  expect(await peaks()).toEqual({ default: 50 });
});

test('results raise a roof once they are confirmed, or their token is trusted', async () => {
  const { deviceKey, own, peaks, record, tokenId, workerId } = await trustedBeside('Trusted later');
  await store.tokens.trust(tokenId, false);
  await record(own, 1);
  const state = (ns: number) =>
    resultOf(deviceKey, workerId, 'Trusted later', { roof: { ns, bound: 'compute' } }, tokenId);
  await state(150);
  await state(50);
  // It states no more than is known.
  await state(600);
  expect(await peaks()).toEqual({ default: 1 });
  const { items } = await store.sweeps.list();
  const [, , early] = await Promise.all(
    items.slice(0, 3).map(async ({ id }) => (await store.sweeps.results(id)).items[0]?.resultId),
  );
  await store.results.confirm(early ?? '', 'Ada');
  expect(await peaks()).toEqual({ default: 3 });
  await store.tokens.trust(tokenId, true);
  expect(await peaks()).toEqual({ default: 10 });
  await store.tokens.trust(tokenId, false);
  expect(await peaks()).toEqual({ default: 3 });
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
