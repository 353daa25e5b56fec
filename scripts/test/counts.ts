/** Test counts of one runner. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * Reads the counts from vitest's JSON report. A runner in which nothing passed has failed. Throws if
 * the report has another format.
 *
 * @param isOk whether the runner itself ended well: a file that does not load, or an end before the
 *   last test, fails no test
 */
export function vitestCounts(report: unknown, isOk: boolean): Counts {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = report as Record<
    string,
    unknown
  >;
  const passed = count(numPassedTests, 'numPassedTests');
  const failed = count(numFailedTests, 'numFailedTests');
  const skipped = count(numPendingTests, 'numPendingTests') + count(numTodoTests, 'numTodoTests');
  return { passed, failed: leastFailed(failed, isOk && passed > 0), skipped };
}

/** The same from Playwright's JSON report; a flaky test counts as failed. */
export function playwrightCounts(report: unknown, isOk: boolean): Counts {
  const { stats } = report as { stats?: Record<string, unknown> };
  const failed = count(stats?.unexpected, 'stats.unexpected') + count(stats?.flaky, 'stats.flaky');
  const passed = count(stats?.expected, 'stats.expected');
  return {
    passed,
    failed: leastFailed(failed, isOk && passed > 0),
    skipped: count(stats?.skipped, 'stats.skipped'),
  };
}

const leastFailed = (failed: number, isOk: boolean): number => Math.max(failed, isOk ? 0 : 1);

export const sum = (all: readonly Counts[]): Counts =>
  all.reduce((a, b) => ({
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  }));

function count(value: unknown, name: string): number {
  if (typeof value === 'number') return value;
  throw new Error(`The test report has no ${name}.`);
}
