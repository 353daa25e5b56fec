import { expect, it } from 'vitest';
import { outlierOf } from './outlier';

const spread = [98, 99, 100, 101, 102];

it.each([
  ['six deviations slower', 106, spread, { deviations: 6, medianNs: 100, others: 5 }],
  ['six deviations faster', 94, spread, { deviations: -6, medianNs: 100, others: 5 }],
  ['five deviations', 105, spread, null],
  ['beside too few others', 200, spread.slice(1), null],
  ['within 0.5% of others without spread', 100.5, [100, 100, 100, 100, 100], null],
  ['beyond 0.5% of them', 101, [100, 100, 100, 100, 100], { deviations: 10 }],
])('a result %s', (_what, medianNs, others, expected) => {
  const found = outlierOf(medianNs, others);
  if (expected) expect(found).toMatchObject(expected);
  else expect(found).toBeNull();
});
