import { describe, expect, it } from 'vitest';
import { hasEnded, isCancelling, remainingSeconds } from './progress';

const counts = { total: 3, pending: 0, measured: 2, skipped: 1, incorrect: 0, failed: 0 };

describe('a cancelled sweep', () => {
  it('goes on until a run that had begun is stopped', () => {
    expect(hasEnded('cancelled', { ...counts, pending: 1 })).toBe(false);
    expect(isCancelling('cancelled', { ...counts, pending: 1 })).toBe(true);
  });

  it('has ended with its last run, as a finished one has', () => {
    expect(hasEnded('cancelled', counts)).toBe(true);
    expect(isCancelling('cancelled', counts)).toBe(false);
    expect(hasEnded('done', counts)).toBe(true);
    expect(hasEnded('running', { ...counts, pending: 1 })).toBe(false);
  });
});

it('goes on at the median run of what has ended', () => {
  expect(remainingSeconds([10_000, 0, 4_000, 16_000, 20_000], 600)).toBe(3_000);
  expect(remainingSeconds([0, 4_000, 10_000, 16_000, 20_000], 0)).toBe(0);
  expect(remainingSeconds([0, 4_000, 9_000, 3_609_000], 2)).toBe(10);
  expect(remainingSeconds([5_000], 4)).toBeNull();
});
