import { summarise } from '@tilemark/core';
import { type Problem, resolveVariant } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { duelText, toDecideText } from './duel';

it.each([
  [true, 57, /one variant: the interval is what this machine cannot tell apart/],
  [true, null, /one variant/],
  [false, 57, /too restless for that difference/],
  [false, 3.2, /^About 4 times as many rounds would decide/],
  [false, null, /too close to the margin of 0.5%/],
])('an undecided duel promises what rounds can keep: self %s, %s', (isSelf, wouldTake, text) => {
  expect(toDecideText(isSelf, wouldTake)).toMatch(text);
});

it.each([
  [null, /^A is FAST: 1\.1600 times as fast as B/m],
  ['it keeps results', /^No verdict, because a side is not believed \(see its remark\),$/m],
])('a duel whose side is not believed has no verdict: %s', (implausible, text) => {
  const variant = resolveVariant('matmul/naive', {});
  const problem: Problem = { op: 'matmul', shape: { m: 8, n: 8, k: 8 }, dtype: 'f32' };
  const side = { ...summarise([1e6, 1e6]), implausible };
  const ratio = { ratio: 1.16, low: 1.04, high: 1.26, wouldTake: null, rounds: 1 };
  const duel = { ...ratio, verdict: 'FAST', stop: 'converged', a: side } as const;
  const told = duelText(variant, variant, problem, { ...duel, b: { ...side, implausible: null } });
  expect(told).toMatch(text);
  expect(told.includes('FAST')).toBe(implausible === null);
});
