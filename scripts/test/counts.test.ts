import { expect, test } from 'vitest';
import { playwrightCounts, sum, vitestCounts } from './counts';

const vitest = { numPassedTests: 5, numFailedTests: 0, numPendingTests: 1, numTodoTests: 1 };
const playwright = { stats: { expected: 2, unexpected: 1, flaky: 1, skipped: 0 } };

test('adds up what the runners report', () => {
  const counts = [vitestCounts(vitest, true), playwrightCounts(playwright, false)];
  expect(sum(counts)).toEqual({ passed: 7, failed: 2, skipped: 2, failures: [] });
});

test('a runner that did not end well has failed, though no test of its report did', () => {
  expect(vitestCounts(vitest, false).failed).toBe(1);
  const ended = { stats: { expected: 4, unexpected: 0, flaky: 0, skipped: 89 } };
  expect(playwrightCounts(ended, false).failed).toBe(1);
  expect(playwrightCounts(ended, true).failed).toBe(0);
});

test('a runner that executed nothing has failed', () => {
  expect(vitestCounts({ ...vitest, numPassedTests: 0 }, true).failed).toBe(1);
  const none = { stats: { expected: 0, unexpected: 0, flaky: 0, skipped: 3 } };
  expect(playwrightCounts(none, true).failed).toBe(1);
});

test('names each failed test, and a file that does not load', () => {
  const testResults = [
    { name: 'broken.test.ts', message: 'no such module', assertionResults: [] },
    {
      ...{ name: 'sums.test.ts', message: '' },
      assertionResults: [
        { status: 'passed', fullName: 'adds', failureMessages: [] },
        { status: 'failed', fullName: 'subtracts', failureMessages: ['expected 3 to be 1'] },
      ],
    },
  ];
  expect(vitestCounts({ ...vitest, testResults }, false).failures).toEqual([
    'broken.test.ts: no such module',
    'sums.test.ts: subtracts\nexpected 3 to be 1',
  ]);
  const result = { errors: [{ message: 'no such button' }] };
  const join = { title: 'joins', tests: [{ status: 'unexpected', results: [result] }] };
  const leave = { title: 'leaves', tests: [{ status: 'expected', results: [{ errors: [] }] }] };
  const suites = [
    { title: 'join.test.ts', specs: [], suites: [{ title: 'a tab', specs: [join, leave] }] },
  ];
  expect(playwrightCounts({ ...playwright, suites }, false).failures).toEqual([
    'a tab: joins\nno such button',
  ]);
});

test('refuses a report without counts', () => {
  expect(() => vitestCounts({}, true)).toThrow('numPassedTests');
  expect(() => playwrightCounts({}, true)).toThrow('stats.unexpected');
});
