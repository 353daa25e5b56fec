/** Test counts of one runner, and what it says of each failure. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly string[];
}

/**
 * Reads the counts from vitest's JSON report. A runner in which nothing passed has failed. Throws if
 * the report has another format.
 *
 * @param isOk whether the runner itself ended well: a file that does not load, or an end before the
 *   last test, fails no test
 */
export function vitestCounts(report: unknown, isOk: boolean): Counts {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } =
    report as Record<string, unknown> & { testResults?: readonly TestFile[] };
  const passed = count(numPassedTests, 'numPassedTests');
  const failed = count(numFailedTests, 'numFailedTests');
  const skipped = count(numPendingTests, 'numPendingTests') + count(numTodoTests, 'numTodoTests');
  const failures = (testResults ?? []).flatMap(failuresOfFile);
  return { passed, failed: leastFailed(failed, isOk && passed > 0), skipped, failures };
}

/** A file of vitest's report; `message` is set where the file itself does not load. */
interface TestFile {
  readonly name: string;
  readonly message?: string;
  readonly assertionResults: readonly {
    readonly status: string;
    readonly fullName: string;
    readonly failureMessages: readonly string[] | null;
  }[];
}

function failuresOfFile({ name, message, assertionResults }: TestFile): readonly string[] {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  return [
    ...(message ? [`${name}: ${message}`] : []),
    ...failed.map((test) =>
      [`${name}: ${test.fullName}`, ...(test.failureMessages ?? [])].join('\n'),
    ),
  ];
}

/** The same from Playwright's JSON report; a flaky test counts as failed. */
export function playwrightCounts(report: unknown, isOk: boolean): Counts {
  const { stats, suites } = report as {
    stats?: Record<string, unknown>;
    suites?: readonly Suite[];
  };
  const failed = count(stats?.unexpected, 'stats.unexpected') + count(stats?.flaky, 'stats.flaky');
  const passed = count(stats?.expected, 'stats.expected');
  return {
    passed,
    failed: leastFailed(failed, isOk && passed > 0),
    skipped: count(stats?.skipped, 'stats.skipped'),
    failures: (suites ?? []).flatMap(failuresOfSuite),
  };
}

/** A suite of Playwright's report: a file, or a group of tests in one. */
interface Suite {
  readonly title: string;
  readonly suites?: readonly Suite[];
  readonly specs: readonly {
    readonly title: string;
    readonly tests: readonly {
      readonly status: string;
      readonly results: readonly { readonly errors: readonly { readonly message?: string }[] }[];
    }[];
  }[];
}

function failuresOfSuite({ title, suites, specs }: Suite): readonly string[] {
  const own = specs.flatMap((spec) =>
    spec.tests
      .filter(({ status }) => ['unexpected', 'flaky'].includes(status))
      .map(({ results }) => {
        const errors = results.flatMap((result) =>
          result.errors.map(({ message }) => message ?? ''),
        );
        return [`${title}: ${spec.title}`, ...errors].join('\n');
      }),
  );
  return [...own, ...(suites ?? []).flatMap(failuresOfSuite)];
}

const leastFailed = (failed: number, isOk: boolean): number => Math.max(failed, isOk ? 0 : 1);

export const sum = (all: readonly Counts[]): Counts =>
  all.reduce((a, b) => ({
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    failures: [...a.failures, ...b.failures],
  }));

function count(value: unknown, name: string): number {
  if (typeof value === 'number') return value;
  throw new Error(`The test report has no ${name}.`);
}
