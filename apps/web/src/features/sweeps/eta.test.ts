import { expect, it } from 'vitest';
import { remainingSeconds } from './eta';

it('goes on at the mean pace of what has ended', () => {
  expect(remainingSeconds([10_000, 0, 4_000], 6)).toBe(30);
  expect(remainingSeconds([0, 4_000, 10_000], 0)).toBe(0);
});

it('says nothing before three runs have ended', () => {
  expect(remainingSeconds([], 4)).toBeNull();
  expect(remainingSeconds([0, 5_000], 4)).toBeNull();
});
