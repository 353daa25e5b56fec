import { expect, test } from 'vitest';
import { measured } from '../server/store/fixtures.test-helper';
import { METHODOLOGY_VERSION, outcomeReason, outcomeSchema } from './outcome';

test('an incorrect outcome names its worst element, and how many are wrong', () => {
  const worst = { row: 3, col: 0, got: 'NaN', want: 1, bound: 0 };
  const textOf = (beyond: number) =>
    outcomeReason({ kind: 'incorrect', when: 'before', worst, beyond, checked: 16_384 });
  expect(textOf(1)).toBe('element [3, 0] is NaN, should be 1 (before timing)');
  expect(textOf(12_000)).toMatch(/; 12,000 of 16,384 elements are wrong$/);
});

test('a result of another methodology is refused in a sentence that names both', () => {
  const outcome = measured(1e6);
  if (outcome.kind !== 'measured') throw new TypeError('not measured');
  expect(outcomeSchema.parse(outcome)).toEqual(outcome);
  const { measurement } = outcome;
  const { error } = outcomeSchema.safeParse({
    ...outcome,
    measurement: { ...measurement, methodologyVersion: 2 },
  });
  expect(error?.issues).toMatchObject([
    {
      path: ['measurement', 'methodologyVersion'],
      message: `measured with methodology 2; this version takes results of methodology ${METHODOLOGY_VERSION} alone`,
    },
  ]);
});
