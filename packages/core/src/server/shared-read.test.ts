import { expect, it } from 'vitest';
import { sharedReads } from './shared-read';

const HOUR_MS = 3_600_000;

function counted(keepMs: number) {
  const shared = sharedReads(keepMs);
  let reads = 0;
  return { ...shared, ask: (key = 'a') => shared.read(key, async () => ++reads) };
}

it('reads once for everyone who asks for the same', async () => {
  const { ask } = counted(HOUR_MS);
  expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
  expect(await ask()).toBe(1);
  expect(await ask('b')).toBe(2);
});

it('reads again after it is told to forget', async () => {
  const { ask, forget } = counted(HOUR_MS);
  await ask();
  forget('a');
  expect(await ask()).toBe(2);
});

it('shares only what is under way where nothing is to be kept', async () => {
  const { ask } = counted(0);
  expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
  expect(await ask()).toBe(2);
});

it('keeps no failure', async () => {
  const { read } = sharedReads(HOUR_MS);
  await expect(read('a', () => Promise.reject(new Error('unavailable')))).rejects.toThrow();
  expect(await read('a', async () => 'here')).toBe('here');
});

it('forgets everything at once', async () => {
  const { ask, forget } = counted(HOUR_MS);
  await ask();
  await ask('b');
  forget();
  expect(await ask()).toBe(3);
  expect(await ask('b')).toBe(4);
});
