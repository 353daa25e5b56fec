import { bringBrowser, bringFirefox, bringRedis, bringVulkan } from '../bootstrap/bring';
import { type Counts, sum } from './counts';
import { type Part, runParts } from './parts';
import { checks, playwright, program, vitest } from './runners';

const USAGE = `npm test                    what has to pass before a change is shared
npm test -- --then-full 40  the same, then what of the full set fits into 40 minutes
npm run test:full           the full set: faults, mutants, every page, a lab of machines`;

/** What `npm test` takes on two idle cores; where it takes longer, so do the parts of the full set. */
const QUICK_MINUTES = 15;

/** Projects of vitest.config.ts; of two that are left out by `!`, vitest would run both. */
const QUICK = ['db', 'kernels', 'core', 'worker', 'web', 'scripts', 'bench'];

const faults = (file: string, minutes: number): Part => ({
  ...{ name: `faults: ${file}`, minutes },
  run: () => vitest(['--project=faults', `tests/faults/${file}.test.ts`]),
});

/** What `npm test` leaves out; first what proves most per minute. */
const FULL: readonly Part[] = [
  { name: 'every page', minutes: 18, run: () => playwright('pages') },
  { name: 'slow tests of single parts', minutes: 9, run: () => vitest(['--project=full']) },
  faults('storm', 1),
  faults('poison', 1),
  faults('worker', 8),
  faults('services', 8),
  faults('http', 12),
  faults('web', 3),
  faults('clock', 2),
  faults('network', 8),
  faults('start', 4),
  faults('disk', 2),
  faults('stranger', 3),
  faults('hostile', 6),
  {
    ...{ name: 'attach', minutes: 15 },
    run: () => program('npm', ['run', '--silent', 'test:attach']),
  },
  {
    ...{ name: 'mutants', minutes: 30 },
    run: () => program('npm', ['run', '--silent', 'test:mutants']),
  },
];

/** Runs every check and test that was asked for, then prints the totals of all runners in one line. */
async function main([set, budget]: readonly string[]): Promise<number> {
  const fullMinutes = set === '--then-full' ? Number(budget) : Infinity;
  if (!['--then-full', '--full', undefined].includes(set) || Number.isNaN(fullMinutes)) {
    console.error(USAGE);
    return 2;
  }
  const ofFull = set === undefined ? [] : [bringFirefox];
  for (const bring of [bringRedis, bringVulkan, bringBrowser, ...ofFull]) {
    const missing = await bring();
    // The tests run the real part or nothing: what is missing is a failure, not a skip.
    if (missing) {
      console.error(missing);
      return 1;
    }
  }
  const sinceStart = stopwatch();
  const counts = [checks()];
  if (set !== '--full') {
    counts.push(vitest(QUICK.map((name) => `--project=${name}`)), playwright('journeys'));
    console.log(`\nnpm test: ${totals(counts)} in ${sinceStart().toFixed(1)} minutes`);
  }
  if (set !== undefined) {
    const slowness = set === '--full' ? 1 : Math.max(1, sinceStart() / QUICK_MINUTES);
    const sinceFull = stopwatch();
    const left = () => (fullMinutes - sinceFull()) / slowness;
    counts.push(...runParts(FULL, left, console.log));
  }
  for (const failure of sum(counts).failures) console.log(`\nFAILED ${cut(failure)}`);
  console.log(`\n${totals(counts)}`);
  return sum(counts).failed === 0 ? 0 : 1;
}

/** A clock that tells the minutes since it was made. */
function stopwatch(): () => number {
  const startedMs = performance.now();
  return () => (performance.now() - startedMs) / 60e3;
}

/** The first lines of a failure: its test, and what was expected. */
const cut = (failure: string) => failure.split('\n').slice(0, 12).join('\n');

function totals(counts: readonly Counts[]): string {
  const { passed, failed, skipped } = sum(counts);
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

process.exitCode = await main(process.argv.slice(2));
