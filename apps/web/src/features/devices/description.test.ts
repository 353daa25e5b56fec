import { expect, test } from 'vitest';
import { measured, run } from '@/server/results.test-helper';
import { identity } from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { deviceDescription } from './description';

test('the description of a device promises what its page has', () => {
  const laptop = { identity: identity('Laptop'), name: 'Laptop', results: 1 };
  const plain = run({ outcome: measured(100) });
  const near = run({ outcome: measured(100, { roof: { ns: 50, bound: 'compute' } }) });
  expect(
    [[], [plain], [near]].map((best) => deviceDescription(laptop, best, []).replace(/^.*: /, '')),
  ).toEqual([
    '1 measured result.',
    'its best kernel for each problem and 1 measured result.',
    'its best kernel for each problem, its roofline, and 1 measured result.',
  ]);
});
