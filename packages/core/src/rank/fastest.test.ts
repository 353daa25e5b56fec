import { expect, test } from 'vitest';
import { byPlace } from './fastest';

test('a ranked run comes before a faster one that is not, and a copy after both', () => {
  const run = (kernel: string, isRanked: boolean, rate: number) => ({ kernel, isRanked, rate });
  const slow = run('transpose/tiled', true, 1);
  const ranked = run('transpose/padded', true, 2);
  const unranked = run('transpose/tiled', false, 3);
  const copy = run('transpose/copy', true, 4);
  expect([copy, unranked, slow, ranked].toSorted(byPlace)).toEqual([ranked, slow, unranked, copy]);
});
