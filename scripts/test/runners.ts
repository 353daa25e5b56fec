import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment } from '../environment';
import { type Counts, playwrightCounts, vitestCounts } from './counts';

/** The runners of tests; each prints its command and what it finds, and returns the counts. */

/** Exit code of a program that cannot run on this machine, and has said why. */
const UNAVAILABLE = 77;

/** Lint, types, cycles and size of every package, and the build of the site and the worker. */
export const checks = (): Counts =>
  program(tool('turbo'), [
    ...['run', 'generate', 'lint', 'types', 'size', 'build'],
    ...['--ui=stream', '--output-logs=errors-only'],
  ]);

export function vitest(args: readonly string[]): Counts {
  return withReport((report) => {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${report}`];
    const isOk = run(tool('vitest'), ['run', ...args, ...reporters]) === 0;
    return vitestCounts(read(report), isOk);
  });
}

/** @param project of playwright.config.ts */
export function playwright(project: string): Counts {
  return withReport((report) => {
    const args = ['test', `--project=${project}`, '--reporter=list,json'];
    const isOk = run(tool('playwright'), args, { PLAYWRIGHT_JSON_OUTPUT_NAME: report }) === 0;
    return playwrightCounts(read(report), isOk);
  });
}

/** A program that is one test: 0 is passed, UNAVAILABLE skipped, anything else failed. */
export function program(command: string, args: readonly string[]): Counts {
  const status = run(command, args);
  const isFailed = status !== 0 && status !== UNAVAILABLE;
  return {
    passed: status === 0 ? 1 : 0,
    failed: isFailed ? 1 : 0,
    skipped: status === UNAVAILABLE ? 1 : 0,
    failures: isFailed ? [`${command} ${args.join(' ')}: exit code ${status}`] : [],
  };
}

const tool = (name: string) => join('node_modules', '.bin', name);

function run(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): number | null {
  console.log(`\n> ${command} ${args.join(' ')}`);
  const { status } = spawnSync(command, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: childEnvironment({
      NEXT_TELEMETRY_DISABLED: '1',
      TURBO_TELEMETRY_DISABLED: '1',
      ...env,
    }),
    shell: process.platform === 'win32',
  });
  return status;
}

function withReport(use: (report: string) => Counts): Counts {
  const folder = mkdtempSync(join(tmpdir(), 'tilemark-test-'));
  try {
    return use(join(folder, 'report.json'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function read(report: string): unknown {
  if (!existsSync(report)) throw new Error('A test runner ended before it wrote its report.');
  return JSON.parse(readFileSync(report, 'utf8'));
}
