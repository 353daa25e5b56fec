import { expect, it } from 'vitest';
import { sharedRead } from './shared-read';

const HOUR_MS = 3_600_000;

function counted(keepMs: number) {
  let reads = 0;
  return sharedRead(async () => ++reads, keepMs);
}

it('reads once for all who ask', async () => {
  const read = counted(HOUR_MS);
  expect(await Promise.all([read(), read()])).toEqual([1, 1]);
  expect(await read()).toBe(1);
});

it('reads anew when it is told to forget, and when what it has is old', async () => {
  const read = counted(HOUR_MS);
  await read();
  read.forget();
  expect(await read()).toBe(2);
  const old = counted(0);
  await old();
  expect(await old()).toBe(2);
});

it('keeps no failure', async () => {
  let isAway = true;
  const read = sharedRead(async () => {
    if (isAway) throw new Error('away');
    return 'here';
  }, HOUR_MS);
  await expect(read()).rejects.toThrow('away');
  isAway = false;
  expect(await read()).toBe('here');
});
