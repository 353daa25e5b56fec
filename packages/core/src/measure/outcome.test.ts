import { expect, test } from 'vitest';
import { outcomeReason } from './outcome';

test('an incorrect outcome names its worst element, and how many are wrong', () => {
  const worst = { row: 3, col: 0, got: 'NaN', want: 1, bound: 0 };
  const textOf = (beyond: number) =>
    outcomeReason({ kind: 'incorrect', when: 'before', worst, beyond, checked: 16_384 });
  expect(textOf(1)).toBe('element [3, 0] is NaN, should be 1 (before timing)');
  expect(textOf(12_000)).toMatch(/; 12,000 of 16,384 elements are wrong$/);
});
