/** Test counts of one runner. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Reads the counts from vitest's JSON report. Throws if the report has another format. */
export function vitestCounts(report: unknown): Counts {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, success } =
    report as Record<string, unknown>;
  const passed = count(numPassedTests, 'numPassedTests');
  const failed = count(numFailedTests, 'numFailedTests');
  const skipped = count(numPendingTests, 'numPendingTests') + count(numTodoTests, 'numTodoTests');
  // A file that does not load fails the run without failing a test.
  return { passed, failed: success === true ? failed : Math.max(failed, 1), skipped };
}

/** Reads the counts from Playwright's JSON report; a flaky test counts as failed. */
export function playwrightCounts(report: unknown): Counts {
  const { stats, errors } = report as {
    stats?: Record<string, unknown>;
    errors?: readonly unknown[];
  };
  const failed = count(stats?.unexpected, 'stats.unexpected') + count(stats?.flaky, 'stats.flaky');
  return {
    passed: count(stats?.expected, 'stats.expected'),
    failed: errors?.length ? Math.max(failed, 1) : failed,
    skipped: count(stats?.skipped, 'stats.skipped'),
  };
}

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
