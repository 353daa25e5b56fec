import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase, testRedisUrl } from '../../services.test-helper';
import { FAMILIES } from '../plan/families';
import { specSchema } from '../plan/spec';
import { dtypesOfFamily } from '../tune/family-tuning';
import { openQueue, type Queue } from './queue/queue';
import { capabilities, identity } from './store/fixtures.test-helper';
import { openStore, type Store } from './store/store';
import { submitTuning } from './tunings';

let store: Store;
let queue: Queue;
beforeAll(async () => {
  const databaseUrl = await testDatabase();
  store = openStore(databaseUrl);
  queue = openQueue({ redisUrl: testRedisUrl(), databaseUrl, prefix: `test-${randomUUID()}` });
});
afterAll(async () => {
  await queue.close();
  await store.close();
});

const named = FAMILIES.flatMap((family) =>
  dtypesOfFamily(family).map((dtype) => [family.id, dtype] as const),
);

test.each(named)('%s in %s is a sweep that the schema of a sweep takes', async (suite, dtype) => {
  const { deviceKey } = await store.workers.attach({
    name: 'w',
    host: 'h',
    version: '0',
    identity: identity('Every'),
    capabilities: { ...capabilities, features: ['timestamp-query', 'shader-f16', 'subgroups'] },
  });
  const body = { device: deviceKey, suite, dtype, profile: 'fast' } as const;
  const made = await submitTuning({ store, queue }, body, { name: 'tester' });
  expect(specSchema.safeParse((await store.sweeps.get(made.id))?.spec).success).toBe(true);
  await store.sweeps.cancel(made.id);
});
