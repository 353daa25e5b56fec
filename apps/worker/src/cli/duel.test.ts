import { expect, it } from 'vitest';
import { toDecideText } from './duel';

it.each([
  [true, 57, /one variant: the interval is what this machine cannot tell apart/],
  [true, null, /one variant/],
  [false, 57, /too restless for that difference/],
  [false, 3.2, /^About 4 times as many rounds would decide/],
  [false, null, /too close to the margin of 0.5%/],
])('an undecided duel promises what rounds can keep: self %s, %s', (isSelf, wouldTake, text) => {
  expect(toDecideText(isSelf, wouldTake)).toMatch(text);
});
