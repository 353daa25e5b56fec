import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../services.test-helper';
import type { RooflineSurvey } from '../../measure/roofline';
import { rooflineSchema } from '../../view/api';
import { attach } from './fixtures.test-helper';
import type { Store } from './store';
import { openStore } from './store';

let store: Store;
beforeAll(async () => {
  store = openStore(await testDatabase());
});
afterAll(() => store.close());

const survey = (gigabytesPerSecond: number): RooflineSurvey => ({
  copies: [{ bytes: 2 ** 20, gigabytesPerSecond }],
  lastLevelCacheBytes: null,
  peaks: [{ dtype: 'f32', gigaflopsPerSecond: 1_000 }],
});

test('the latest of each profile is found, with who measured it', async () => {
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
    { ...survey(2), profile: 'fast' },
  ]);
  for (const roofline of latest) expect(rooflineSchema.parse(roofline)).toEqual(roofline);
  expect(await store.rooflines.latest('unknown')).toEqual([]);
});
