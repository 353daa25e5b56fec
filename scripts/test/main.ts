import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bringBrowser, bringRedis, bringVulkan } from '../bootstrap/bring';
import { childEnvironment } from '../environment';
import { type Counts, playwrightCounts, sum, vitestCounts } from './counts';

/** Runs every check and test, then prints the totals of all runners in one line. */
async function main(): Promise<number> {
  for (const bring of [bringRedis, bringVulkan, bringBrowser]) {
    const missing = await bring();
    // The tests run the real part or nothing: what is missing is a failure, not a skip.
    if (missing) {
      console.error(missing);
      return 1;
    }
  }
  const reports = await mkdtemp(join(tmpdir(), 'tilemark-test-'));
  try {
    const checks = run('turbo', [
      'run',
      'generate',
      'lint',
      'types',
      'build',
      '--ui=stream',
      '--output-logs=errors-only',
    ]);
    const counts: Counts[] = [{ passed: checks ? 1 : 0, failed: checks ? 0 : 1, skipped: 0 }];
    const unit = join(reports, 'vitest.json');
    const units = run('vitest', [
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile=${unit}`,
    ]);
    counts.push(vitestCounts(read(unit), units));
    const browser = join(reports, 'playwright.json');
    const browsers = run('playwright', ['test', '--reporter=list,json'], {
      PLAYWRIGHT_JSON_OUTPUT_NAME: browser,
    });
    counts.push(playwrightCounts(read(browser), browsers));

    const { passed, failed, skipped } = sum(counts);
    console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
    return failed === 0 && counts.every((runner) => runner.passed > 0) ? 0 : 1;
  } finally {
    await rm(reports, { recursive: true, force: true });
  }
}

function run(tool: string, args: readonly string[], env: Record<string, string> = {}): boolean {
  console.log(`\n> ${tool} ${args.join(' ')}`);
  const { status } = spawnSync(join('node_modules', '.bin', tool), args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: childEnvironment({
      NEXT_TELEMETRY_DISABLED: '1',
      TURBO_TELEMETRY_DISABLED: '1',
      ...env,
    }),
    shell: process.platform === 'win32',
  });
  return status === 0;
}

function read(report: string): unknown {
  if (!existsSync(report)) throw new Error('A test runner ended before it wrote its report.');
  return JSON.parse(readFileSync(report, 'utf8'));
}

process.exitCode = await main();
