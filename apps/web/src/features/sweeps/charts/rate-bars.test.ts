import { expect, test } from 'vitest';
import { type Bar, bestOf, bestText } from './rate-bars';

const bar = (label: string, of: Pick<Bar, 'isCeiling' | 'isRanked'>): Bar => ({
  label,
  rate: 1,
  low: 1,
  high: 1,
  href: null,
  ...of,
});
const ceiling = bar('copy', { isCeiling: true, isRanked: true });
const noisy = bar('faster, not ranked', { isRanked: false });
const ranked = bar('ranked', { isRanked: true });

test('the best bar is the fastest ranked one, never a ceiling', () => {
  expect(bestOf([ceiling, noisy, ranked, bar('slower', { isRanked: true })])).toBe(ranked);
});

test('where nothing is ranked, the fastest is the best', () => {
  expect(bestOf([ceiling, noisy, bar('slower', { isRanked: false })])).toBe(noisy);
  expect(bestOf([ceiling])).toBeUndefined();
});

test('the caption says which bar is in colour', () => {
  const unranked = bar('slower', { isRanked: false });
  expect(bestText([ranked, unranked])).toBe('; in colour the fastest by median');
  expect(bestText([noisy, ranked])).toBe('; in colour the fastest by median that is ranked');
  expect(bestText([ceiling, unranked])).toBe(
    '; in colour the fastest by median below the ceiling, a copy of as many bytes',
  );
  expect(bestText([ceiling, ranked])).toBe(
    '; in colour the fastest by median below the ceiling, a copy of as many bytes',
  );
  expect(bestText([ceiling, noisy, ranked])).toBe(
    '; in colour the fastest by median that is ranked below the ceiling, a copy of as many bytes',
  );
  expect(bestText([ceiling])).toBe('');
});
