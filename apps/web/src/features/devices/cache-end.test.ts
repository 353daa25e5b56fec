import { expect, test } from 'vitest';
import { showsCacheEnd } from './cache-end';

const MIB = 2 ** 20;
/** Copies over working sets that double from 256 KiB, GB/s. */
const curve = (...rates: readonly number[]) =>
  rates.map((gigabytesPerSecond, at) => ({ bytes: 2 ** (18 + at), gigabytesPerSecond }));

test('a cache ends where a steady curve drops', () => {
  // An NVIDIA H200 on 2026-11-24.
  const h200 = [8882, 9093, 9870, 10109, 10019, 10197, 10202, 8783, 3570, 3857, 4045, 4167];
  expect(showsCacheEnd(curve(...h200), 32 * MIB)).toBe(true);
});

test.each([
  ['a curve that falls before it and rises again', [5, 5, 4, 5, 5, 4, 4, 0.4, 1, 3, 0.2], 128],
  ['a drop within the noise', [20, 24, 17, 23, 18, 22, 16], 8],
] as const)('none ends in %s', (_what, rates, mebibytes) => {
  expect(showsCacheEnd(curve(...rates), mebibytes * MIB)).toBe(false);
});
