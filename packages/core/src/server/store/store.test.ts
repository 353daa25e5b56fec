import { expect, test } from 'vitest';
import { bringUp, takeDown, testDatabase } from '../../../services.test-helper';
import { ServiceUnavailable } from '../errors';
import { attach, planned, sweepOf } from './fixtures.test-helper';
import { openStore } from './store';

test('every part says in one line what to do when there is no database', async () => {
  const store = openStore('postgres://somebody:secret@127.0.0.1:1/tilemark');
  const attempts = [
    store.ping(),
    store.sweeps.list(),
    store.runs.claim('run', 'worker'),
    store.runs.reclaim(),
    store.tokens.ofSession('token'),
    sweepOf(store, [planned('device')]),
    store.sweeps.watch('sweep', () => undefined, new AbortController().signal),
    (async () => {
      for await (const run of store.runs.pending()) expect(run).toBeUndefined();
    })(),
  ];
  for (const attempt of await Promise.allSettled(attempts)) {
    const error: unknown = attempt.status === 'rejected' ? attempt.reason : null;
    expect(error).toBeInstanceOf(ServiceUnavailable);
    const { message } = error as Error;
    expect(message).toMatch(/^The database at 127\.0\.0\.1:1\/tilemark cannot be reached \(.*\)\./);
    expect(message).toContain('DATABASE_URL');
    expect(message).not.toContain('secret');
    expect(message).not.toContain('\n');
  }
  await store.close();
});

test('a store works again when the database is back', async () => {
  const url = await testDatabase();
  const store = openStore(url);
  const { deviceKey } = await attach(store);
  await takeDown(url);
  await expect(store.devices.get(deviceKey)).rejects.toBeInstanceOf(ServiceUnavailable);
  await expect(attach(store)).rejects.toBeInstanceOf(ServiceUnavailable);
  await bringUp(url);
  expect(await store.devices.get(deviceKey)).not.toBeNull();
  await store.close();
});

test('a mistake of the caller is not taken for an outage', async () => {
  const store = openStore(await testDatabase());
  const error = await sweepOf(store, [planned('no-such-device')]).catch((each: unknown) => each);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(ServiceUnavailable);
  await store.close();
});
