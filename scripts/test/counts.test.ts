import { expect, test } from 'vitest';
import { playwrightCounts, sum, vitestCounts } from './counts';

const vitest = { numPassedTests: 5, numFailedTests: 0, numPendingTests: 1, numTodoTests: 1 };

test('adds up what the runners report', () => {
  const unit = vitestCounts({ ...vitest, success: true });
  const browser = playwrightCounts({
    stats: { expected: 2, unexpected: 1, flaky: 1, skipped: 0 },
    errors: [],
  });
  expect(sum([unit, browser])).toEqual({ passed: 7, failed: 2, skipped: 2 });
});

test('counts a file that did not load as a failure', () => {
  expect(vitestCounts({ ...vitest, success: false }).failed).toBe(1);
  expect(
    playwrightCounts({
      stats: { expected: 0, unexpected: 0, flaky: 0, skipped: 0 },
      errors: [{ message: 'no such file' }],
    }).failed,
  ).toBe(1);
});

test('refuses a report without counts', () => {
  expect(() => vitestCounts({ success: true })).toThrow('numPassedTests');
  expect(() => playwrightCounts({})).toThrow('stats.unexpected');
});
