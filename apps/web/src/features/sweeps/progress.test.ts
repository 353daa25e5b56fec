import { cumsum, sum } from 'd3-array';
import { describe, expect, it } from 'vitest';
import { hasEnded, isCancelling, paceText, remainingSeconds } from './progress';

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

it('goes on at the mean pace of what has ended', () => {
  expect(remainingSeconds([10_000, 0, 4_000, 16_000, 20_000], 600)).toBe(3_000);
  expect(remainingSeconds([0, 4_000, 10_000, 16_000, 20_000], 0)).toBe(0);
});

it('says nothing before five runs have ended', () => {
  expect(remainingSeconds([], 4)).toBeNull();
  expect(remainingSeconds([0, 5_000, 10_000, 15_000], 4)).toBeNull();
});

it('is right within a factor of two where it says anything, be the runs alike or not', () => {
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const found = { told: 0, wrong: 0, untold: 0 };
  for (const spread of [0.1, 0.5, 1, 2]) {
    for (let sweep = 0; sweep < 200; sweep++) {
      const times = Array.from({ length: 60 }, () => Math.exp(spread * normal()));
      const ends = [...cumsum(times, (seconds) => seconds * 1e3)];
      for (let ended = 5; ended < times.length; ended++) {
        const estimate = remainingSeconds(ends.slice(0, ended), times.length - ended);
        const actual = sum(times.slice(ended));
        if (estimate === null) found.untold++;
        else if (estimate > 2 * actual || estimate < actual / 2) found.wrong++;
        else found.told++;
      }
    }
  }
  expect(found.wrong / found.told).toBeLessThan(0.01);
  // Runs that differ by a factor of e or less are half of them, and most are told.
  expect(found.told).toBeGreaterThan(found.untold * 0.8);
});

describe('what a device may still take', () => {
  it('is estimated only once it has begun', () => {
    expect(paceText([{ kind: 'pending' }, { kind: 'pending' }], null)).toBe('waiting');
    expect(paceText([{ kind: 'running' }, { kind: 'pending' }], null)).toBe('estimating…');
    expect(paceText([{ kind: 'measured' }, { kind: 'pending' }], null)).toBe('estimating…');
    expect(paceText([{ kind: 'measured' }, { kind: 'pending' }], 90)).toMatch(/ left$/);
  });
});
