import { describe, expect, it } from 'vitest';
import { hasEnded, isCancelling, paceText, remainingSeconds } from './progress';

const counts = { total: 3, pending: 0, measured: 2, skipped: 1, incorrect: 0, failed: 0 };

describe('a cancelled sweep', () => {
  it('goes on while a run that had begun is being measured', () => {
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

it('goes on at the mean pace of what has ended', () => {
  expect(remainingSeconds([10_000, 0, 4_000], 6)).toBe(30);
  expect(remainingSeconds([0, 4_000, 10_000], 0)).toBe(0);
});

it('says nothing before three runs have ended', () => {
  expect(remainingSeconds([], 4)).toBeNull();
  expect(remainingSeconds([0, 5_000], 4)).toBeNull();
});

describe('what a device may still take', () => {
  it('is estimated only once it has begun', () => {
    expect(paceText([{ kind: 'pending' }, { kind: 'pending' }], null)).toBe('waiting');
    expect(paceText([{ kind: 'running' }, { kind: 'pending' }], null)).toBe('estimating…');
    expect(paceText([{ kind: 'measured' }, { kind: 'pending' }], null)).toBe('estimating…');
    expect(paceText([{ kind: 'measured' }, { kind: 'pending' }], 90)).toMatch(/ left$/);
  });
});
